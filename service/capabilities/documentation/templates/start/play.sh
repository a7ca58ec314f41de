SERVER=http://127.0.0.1:8000
JSON='Content-Type: application/json'

curl -s $SERVER/v1/matches -H "$JSON" \
  -d '{"game": "firenze", "seats": ["human", "bot:greedy"]}' > match.json

MATCH=$SERVER/v1/matches/$(jq -r .match match.json)
TOKEN="Authorization: Bearer $(jq -r '.tokens["seat:0"]' match.json)"
# ----
curl -s $MATCH/moves -H "$TOKEN" --etag-save etag.txt > moves.json

jq -c '.moves[]' moves.json
# ----
jq '.moves[0]' moves.json > move.json

curl -s $MATCH/moves -H "$TOKEN" -H "$JSON" \
  -H "If-Match: $(cat etag.txt)" -d @move.json
# ----
curl -sN "$MATCH/stream?after=0" -H "$TOKEN"
