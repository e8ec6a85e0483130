"""How the airline database is made, one kind of record a module."""
