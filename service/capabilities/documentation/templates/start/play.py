from giornale_client import Client

giornale = Client("http://127.0.0.1:8000")
opened = giornale.open("firenze", ["human", "bot:greedy"])
seat = opened.seat(0)
# ----
moves = seat.moves()
print(*moves, sep="\n")
# ----
commit = seat.move(moves[0], expected=moves)
print(commit["version"], commit["events"])
# ----
for event in seat.follow(after=0):
    print(event.data["version"], event.data["actor"])
