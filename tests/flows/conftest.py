"""Stand-ins are no tests."""

collect_ignore_glob = ["stubs/*"]
