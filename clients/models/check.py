"""Lists for model providers, one JSON object a line, against the types of the providers' own Python libraries.

The types of OpenAI and Anthropic say what a request may hold; here they are read strictly: a field that they do not
know is refused, and every entry of every list is looked at. Google's types are strict by themselves.
"""

import copy
import json
import sys
from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as AnthropicRequest
from google.genai import types as google
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as ChatRequest
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming as ResponsesRequest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import NotRequired, Required, TypedDict, is_typeddict

REQUESTS_MIN = 100


def strict(kind, made):
    """The same type, but without room for unknown fields, and with lists that are read at once."""
    if is_typeddict(kind):
        if kind not in made:
            # First, because types hold themselves.
            made.add(kind)
            kind.__pydantic_config__ = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
            hints = get_type_hints(kind, include_extras=True)
            kind.__annotations__ = {name: strict(hint, made) for name, hint in hints.items()}
        return kind
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return Annotated[(strict(arguments[0], made), *arguments[1:])]
    if origin is None or origin is Literal or not arguments:
        return kind
    arguments = tuple(strict(argument, made) for argument in arguments)
    if origin in (Union, UnionType):
        # Answers of the library may be sent back as they are. They are lenient, and no part of our requests.
        return Union[tuple(one for one in arguments if not is_answer(one)) or arguments]
    if origin in (Iterable, Sequence):
        return list[arguments]
    return origin[arguments[0] if len(arguments) == 1 else arguments]


def is_answer(kind):
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    arguments = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return all(isinstance(one, type) and issubclass(one, BaseModel) for one in arguments)


class GoogleRequest(TypedDict):
    """The library takes the parts of a request as arguments, so there is no type for the whole."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    contents: Required[list[google.Content]]
    systemInstruction: NotRequired[google.Content]


def adapters():
    made = set()
    kinds = {"openai_chat": ChatRequest, "openai_responses": ResponsesRequest, "anthropic": AnthropicRequest}
    found = {name: TypeAdapter(strict(kind, made)) for name, kind in kinds.items()}
    return found | {"gemini": TypeAdapter(GoogleRequest)}


def whole(kind, request):
    """The request with what every request needs besides."""
    model = {} if kind == "gemini" else {"model": "some-model"}
    return request | model | ({"max_tokens": 9} if kind == "anthropic" else {})


def refusal(adapter, kind, request):
    try:
        adapter.validate_python(whole(kind, request))
        return None
    except ValidationError as error:
        return str(error)


def places(value: Any, path=()):
    """Where the objects of a request are, apart from values of calls: there anything goes."""
    if isinstance(value, dict):
        yield path
        inner = [(key, item) for key, item in value.items() if key not in ("args", "response", "input_schema")]
        for key, item in inner:
            if key != "input" or isinstance(item, list):
                yield from places(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*path, number))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def spoiled(request):
    """The request with something wrong, in every place and in several ways."""
    for path in places(request):
        for name, wrong in (("unknown_field", 1), ("role", "wizard"), ("content", 5), ("parts", 5), ("name", 5)):
            if name != "unknown_field" and name not in at(request, path):
                continue
            # Google's types know no roles.
            if name == "role" and "parts" in at(request, path):
                continue
            copied = copy.deepcopy(request)
            at(copied, path)[name] = wrong
            yield f"{name} at {path}", copied


def check(adapters, lines):
    counts = dict.fromkeys(adapters, 0)
    for line in lines:
        entry = json.loads(line)
        kind, request = entry["format"], entry["request"]
        wrong = refusal(adapters[kind], kind, request)
        assert wrong is None, f"{kind}: {wrong}\n{json.dumps(request, indent=1)}"
        # The checker itself is checked too: now and then everything wrong must be noticed.
        if counts[kind] % 25 == 0:
            for what, broken in spoiled(request):
                assert refusal(adapters[kind], kind, broken), f"{kind} took {what}\n{json.dumps(broken, indent=1)}"
        counts[kind] += 1
    for kind, count in counts.items():
        assert count >= REQUESTS_MIN, f"only {count} requests of {kind}"
        print(f"✔ {count} requests of {kind} have the types of its own library")


with open(sys.argv[1], encoding="utf-8") as corpus:
    check(adapters(), corpus)
