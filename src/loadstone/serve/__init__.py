"""`loadstone serve`: an explorer in the browser, on loopback.

The server passes requests on to workers and their answers back, pane by pane. A worker is forked from a process in
which everything is loaded, answers one request and ends: it can be stopped at any time, and leaves nothing behind.
"""
