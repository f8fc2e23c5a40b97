"""Where a server's address and key come from: arguments and environment, never a file of ours."""

from __future__ import annotations

import os
import re
from importlib import import_module
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from adjudge.chat.errors import WrongAddress, WrongKey

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW", re.IGNORECASE)

OPENAI = "https://api.openai.com/v1"


class Address:
    """A base URL taken apart, so that paths can be added before its query string."""

    def __init__(self, base_url: str) -> None:
        try:
            parts = urlsplit(base_url.strip())
            self.host = (parts.hostname or "").lower()
            port = parts.port
        except ValueError:
            parts, port, self.host = urlsplit(""), None, ""
        if parts.scheme not in ("http", "https") or not self.host:
            raise WrongAddress(
                "the base URL (--base-url, base_url) must look like http://host:port/v1 or https://host/v1"
            )
        self._parts = parts
        shown = f"[{self.host}]" if ":" in self.host else self.host
        self._netloc = shown if port is None else f"{shown}:{port}"

    def url(self, path: str) -> str:
        """The address of an end point; the query (Azure's api-version) is kept."""
        base = self._parts.path.rstrip("/")
        return urlunsplit((self._parts.scheme, self._parts.netloc, f"{base}/{path}", self._parts.query, ""))

    @property
    def shown(self) -> str:
        """Without user, password and query: fit for messages, files and digests."""
        version = [(k, v) for k, v in parse_qsl(self._parts.query) if k == "api-version"]
        path = self._parts.path.rstrip("/")
        return urlunsplit((self._parts.scheme, self._netloc, path, urlencode(version), ""))

    @property
    def azure(self) -> bool:
        return self.host.endswith("openai.azure.com")

    @property
    def openai(self) -> bool:
        return self.host == "api.openai.com"


def find_address(base_url: str | None) -> Address:
    """The given base URL, else OPENAI_BASE_URL, else OpenAI's own."""
    return Address(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)


def find_key(address: Address, key_env: str | None = None) -> str | None:
    """The key for an address, or None where a server may do without (anything but OpenAI and Azure).

    OPENAI_API_KEY goes to OpenAI only: another server gets ADJUDGE_API_KEY or what `key_env` names.
    """
    if key_env is not None:
        names = [key_env]
    elif address.openai:
        names = ["OPENAI_API_KEY"]
    elif address.azure:
        names = ["AZURE_OPENAI_API_KEY", "ADJUDGE_API_KEY"]
    else:
        names = ["ADJUDGE_API_KEY"]
    for name in names:
        if found := secret(name):
            return found
    if key_env is not None or address.openai or address.azure:
        raise WrongKey(
            f"there is no key for {address.host}: set the environment variable {' or '.join(names)}, "
            "or name another with --key-env (key_env); a local server (--base-url, base_url) needs none"
        )
    return None


def secret(name: str) -> str | None:
    """An environment variable, else the password stored as service `adjudge`, user `name`, if the keyring
    package is there and usable.
    """
    if given := (os.environ.get(name) or "").strip():
        return given
    try:
        keyring = import_module("keyring")
        found = keyring.get_password("adjudge", name)
    except Exception:  # no package, no backend, or a locked one: as if there were no keyring
        return None
    return found if isinstance(found, str) and found else None


def scrub(text: str) -> str:
    """The text without the value of any environment variable that is named like a secret.

    For libraries that find their keys themselves, so that we do not know which one they sent.
    """
    for name, value in os.environ.items():
        if len(value) >= 6 and _SECRET.search(name) and value in text:
            text = text.replace(value, "[key]")
    return text
