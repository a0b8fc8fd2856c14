"""In which words servers refuse a request, all in lower case. Pure.

Source: the error codes of https://platform.openai.com/docs/guides/error-codes, and the texts of the servers that speak
the same protocol with fewer codes (llama.cpp, vLLM, Ollama, Azure, Anthropic, DeepSeek, Gemini, Groq, OpenRouter, xAI).
"""

import re

UNSUPPORTED = re.compile(
    r"unsupported|unrecognized|unknown|not (?:\w+ )?support|not permitted|extra (?:inputs|fields)|not allowed|"
    r"unavailable|must be unset|leave it unset|cannot be (?:set|used)|may only be|deprecated for this model|"
    r"only .{1,30} (?:is|are) (?:allowed|supported)"
)
TOO_LARGE = re.compile(
    r"too large|too high|at most \d+ (?:completion |output )?tokens|must be (?:less|at most|<=)|less than or equal|"
    r"\d+ > \d+|max_tokens > \d+|(?:valid|supported) range|range of max_tokens|exceeds? the (?:maximum|limit)|"
    r"between 1 and \d+"
)
TOO_LONG = re.compile(
    r"context.{0,3}length|context window|context size|maximum context|context limit|(?:prompt|input) is too long|"
    r"string too long|"
    r"too many tokens(?!: max)|sequence length|"
    r"exceeds? the (?:available|maximum)? ?context|maximum prompt length|input tokens exceed|input token count|"
    r"input length|max_new_tokens`? must be|request too large|reduce the length of the (?:messages|input)"
)
NO_TOOLS = re.compile(
    r"tool.{0,20} requires|not support (?:tools?|function)|support tool use|tools? (?:is|are|use is) not|"
    r"(?:tool|function)[ _-]?(?:call\w*|use|choice)?.{0,20}not (?:\w+ )?support"
)
NO_SCHEMA = re.compile(r"response_format|response format|json_schema|structured output|grammar|guided|schema")
MENTIONS_TOOLS = re.compile(r"\btools?\b|function call|grammar|tool_choice")
FILTERED = re.compile(
    r"content_filter|content management policy|invalid_prompt|flagged as|content policy|data_inspection|"
    r"response was filtered|content exists risk|inappropriate content|sensitive (?:data|content|information)"
)
NO_MODEL = re.compile(
    r"model_not_found|(?:model|deployment).{0,80}(?:not found|does not exist|not exist|deprecated|decommissioned)|"
    r"no endpoints found for|(?:unknown|invalid|no such|access) model|access to (?:the )?model|not a valid model|"
    r"not_found_error model|requested model .{0,80} not supported"
)
BAD_KEY = re.compile(r"api[ _-]key.{0,30}(?:not valid|invalid|incorrect)|(?:invalid|incorrect)[ _]api[ _-]key")
BAD_CALL = re.compile(
    r"tool_use_failed|failed to call a function|tool call validation|error parsing tool call|"
    r"failed to parse (?:input at pos|tool call)"
)
LIMIT = re.compile(r"max_?(?:output_?|new_?|completion_?)?_?tokens|max tokens|generation length")
