"""Polyhedral process networks: processes that exchange values through channels [RR-9131]."""
