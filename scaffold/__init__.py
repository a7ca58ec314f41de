"""`make new-game`: write a small whole game to begin with.

names     the key, the title and the letter of the rules, and their checks
guide     the files of the game in docs/guides/third-game.md, under other names
registry  the lines outside its package that name a game
plan      the files to write, and writing them: everything or nothing
"""
