"""The base of all rooms: types, errors, roles, the catalog, options, files. It imports no other room."""
