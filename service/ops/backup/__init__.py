"""The whole journal as one file and back, and all matches as records, to be stored elsewhere."""
