"""Model access: send a chat request, get text and usage back. Knows nothing of protocols or judges.

A stack is a backend under a pile of small wrappers, each with the one method `complete`:

    once → calls → cache → retries → limits → cost → deadline → adapt → backend

An answer from the cache therefore meets no limit and costs nothing, and a repeated attempt is paced and paid
for like any other request. Importing this package loads no HTTP client.
"""

from adjudge.chat.base import Backend, ChatReply, ChatRequest, Message
from adjudge.chat.errors import ChatError, GaveUp
from adjudge.chat.stack import Stack, build_stack

__all__ = ["Backend", "ChatError", "ChatReply", "ChatRequest", "GaveUp", "Message", "Stack", "build_stack"]
