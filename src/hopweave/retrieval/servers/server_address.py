"""The address of an engine on a server, such as `postgres://user@host:5432/database#collection`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from hopweave.core.errors import SettingsError
from hopweave.core.indexing import AddressForm
from hopweave.core.lazy_pattern import lazy_pattern

_LOOPBACK = lazy_pattern(r"^(localhost|127(\.\d+){3}|::1)?$")
# Characters that all engines accept at any position of a name.
_NAME = lazy_pattern(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The parts of an address.

    Attributes:
        host: empty for a folder or file on this machine, or a socket.
        port: `None` for the engine's default.
        path: without the first slash: a database, or the prefix of a URL; if there is no host, the path of a file.
        socket: the folder of a Unix socket (postgres).
        user: empty if there is none.
        collection: name of the corpus.
        place: the address as messages show it, without user and collection.
    """

    host: str
    port: int | None
    path: str
    socket: str
    user: str
    collection: str
    place: str

    @classmethod
    def of(cls, address: str, form: AddressForm, collection: str, user: str) -> ServerAddress:
        """Parses an address.

        Args:
            address: the address as the user gave it.
            form: the form of the engine's addresses.
            collection: the default if the address names none.
            user: the default if the address names none.

        Raises:
            SettingsError: if it is invalid, or contains a password, which the message does not repeat.
        """
        engine = form.scheme
        try:
            parts = urlsplit(address)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            parts, host, port = SplitResult("", "", "", "", ""), "", None
        if parts.password is not None:
            raise SettingsError(
                f"the address of {engine} contains a password, which would show up in shell histories and process lists; put "
                f"it into an environment variable, and name that: retrievers.{engine}.password_env"
            )
        socket = parse_qs(parts.query).get("host", [""])[0] if form.has_socket else ""
        is_complete = bool(host or parts.path.strip("/") or socket)
        if parts.scheme != engine or not is_complete or (parts.query and not socket):
            # The message does not repeat it, since an address that cannot be parsed may contain a password anywhere.
            raise SettingsError(f"the given address is not an address of {engine}; give {form.example}")
        named = parts.fragment or collection
        if not _NAME.fullmatch(named):
            raise SettingsError(f"{named!r} cannot name a collection; give lower-case letters, digits and _, at most 40")
        place = f"{engine}://{parts.netloc.rpartition('@')[2]}{parts.path}{'?host=' + socket if socket else ''}"
        path = unquote(parts.path)
        return cls(host, port, path.strip("/") if host or socket else path, socket, parts.username or user, named, place)

    @property
    def shown(self) -> str:
        """The address with its collection but without the user, for messages; it is a valid address."""
        return f"{self.place}#{self.collection}"

    @property
    def is_file(self) -> bool:
        """Whether it is a file or folder on this machine, for an engine that runs in this process."""
        return not self.host and not self.socket

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return bool(_LOOPBACK.match(self.host))
