"""The whole journal as one file and back, and all matches as records: what an operator keeps elsewhere."""
