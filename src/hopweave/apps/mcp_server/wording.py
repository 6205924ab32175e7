"""What went wrong in a call of a tool, in words that end with what to do; no codes, no addresses, no tracebacks."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from hopweave.apps.wrong_values import in_words
from hopweave.record import Failure, what_failed

_MAX_NAMED = 100


class WordedServer(MCPServer[None]):
    """A server whose failed calls say in words what happened and what to do."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool, as the SDK does."""
        known = [tool.name for tool in await self.list_tools()]
        if name not in known:
            raise ToolError(f"there is no tool {name[:_MAX_NAMED]!r}; call one of: {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            said = f"{name} failed because of a fault in the server, which its log describes; call it again, or tell the user"
            raise UnexpectedToolError(said) from error.__cause__
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_about_arguments(name, cause)) from cause
            raise ToolError(str(cause) if isinstance(cause, ToolError) else str(error)) from cause


def about_failure(failure: Failure | None) -> str:
    """Why a question has no answer, and what to do."""
    if failure is None:
        return "no answer was found; ask in other words, or use search"
    what = f"there is no answer, since {what_failed(failure.kind)}: {failure.message}"
    return f"{what}; {'call ask again' if failure.retryable else 'tell the user, or use search, which needs no language model'}"


def _about_arguments(name: str, error: ValidationError) -> str:
    wrong = "; ".join(in_words(one, "the arguments") for one in error.errors())
    return f"{name} was called with arguments that it cannot take: {wrong}. Correct this and call it again."
