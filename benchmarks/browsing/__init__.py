"""What a reader of the pages waits for, measured in a real Chromium."""
