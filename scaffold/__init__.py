"""`make new-game`: write a small complete game, to be changed into a new one.

names     the key, the title and the letter of the rules, and their checks
guide     the files of the game in docs/guides/third-game.md, under other names
registry  the lines that name a game outside of its package
plan      the files to write, and the writing of all or none
"""
