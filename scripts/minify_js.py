"""Makes a script smaller without changing a token of it: comments and blanks go, names and literals stay.

    from minify_js import minified, tokens

What it knows of the language: comments, strings, templates (with the code inside of them), regular expressions, and
that a line's end may end a statement. A blank is kept between two words, between signs that would join, and a line's
end wherever leaving it out could join two statements. `minified` checks itself: the tokens before and after are equal.
"""

import re

WORD = re.compile(r"[\w$#\u0080-\uffff]+(?:\.\d+)?")
SIGN = re.compile(
    r">>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|."
)
# After these a slash begins a regular expression; after a value it divides.
BEFORE_REGEX = set("( , = : [ ! & | ? { } ; + - * % < > ~ ^ => && || ?? === !== == != <= >= += -= return typeof case in of".split())
AFTER_OPEN = set("{ ( [ , ; : ? = => && || ?? + - * % < > | & === !== == != <= >= += -= ... . ?.".split())
BEFORE_CLOSE = set("} ) ] , ; . ?. : ? = => && || ?? === !== == != <= >= += -= * % < > | &".split())


def regex_end(text: str, at: int) -> int:
    in_class = False
    at += 1
    while text[at] != "/" or in_class:
        if text[at] == "\\":
            at += 1
        elif text[at] == "[":
            in_class = True
        elif text[at] == "]":
            in_class = False
        elif text[at] == "\n":
            raise ValueError("a regular expression does not end on its line")
        at += 1
    at += 1
    while at < len(text) and text[at].isalpha():
        at += 1
    return at


def template_end(text: str, at: int) -> int:
    at += 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            depth = 1
            at += 2
            while depth:
                if text[at] == "`":
                    at = template_end(text, at)
                    continue
                if text[at] in "'\"":
                    at = string_end(text, at)
                    continue
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
        else:
            at += 1
    return at + 1


def string_end(text: str, at: int) -> int:
    quote = text[at]
    at += 1
    while text[at] != quote:
        if text[at] == "\n":
            raise ValueError("a string does not end on its line")
        at += 2 if text[at] == "\\" else 1
    return at + 1


def tokens(text: str) -> list[tuple[str, str]]:
    """Each token with what stands before it: nothing, a blank, or a line's end."""
    found: list[tuple[str, str]] = []
    at, gap = 0, ""
    while at < len(text):
        if text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if text.startswith("/*", at):
            end = text.index("*/", at) + 2
            gap = "\n" if gap == "\n" or "\n" in text[at:end] else " "
            at = end
            continue
        if text[at].isspace():
            gap = "\n" if gap == "\n" or text[at] == "\n" else " "
            at += 1
            continue
        if text[at] in "'\"":
            end = string_end(text, at)
        elif text[at] == "`":
            end = template_end(text, at)
        elif text[at] == "/" and (not found or found[-1][1] in BEFORE_REGEX):
            end = regex_end(text, at)
        elif match := WORD.match(text, at):
            end = match.end()
        else:
            end = SIGN.match(text, at).end()
        found.append((gap, text[at:end]))
        at, gap = end, ""
    return found


def is_word(character: str) -> bool:
    return bool(WORD.match(character))


def gap_between(before: str, gap: str, after: str) -> str:
    if gap == "":
        return ""
    if gap == "\n" and before not in AFTER_OPEN and after not in BEFORE_CLOSE:
        return "\n"
    if is_word(before[-1]) and is_word(after[0]):
        return " "
    # "+ +a" is not "++a", "a / /b/" is not a comment, and "1 .x" is not "1.x".
    if before[-1] in "+-*/<>=&|?!." and after[0] in "+-*/<>=&|?!.":
        return " "
    if before[-1].isdigit() and after[0] == "." or before[-1] == "." and after[0].isdigit():
        return " "
    return ""


def minified(text: str) -> str:
    before = tokens(text)
    parts = []
    for number, (gap, token) in enumerate(before):
        if number:
            parts.append(gap_between(before[number - 1][1], gap, token))
        parts.append(token)
    result = "".join(parts)
    if [token for _, token in tokens(result)] != [token for _, token in before]:
        raise ValueError("the smaller form is not the same script")
    return result
