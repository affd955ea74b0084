-- A command is kept with the last of its events, so that it goes wherever the log goes.
DROP TABLE live_commands;
