"""How long files and functions are: a report to look at, not a gate (part of check_house.py).

Functions are found by their braces, which is good enough for ranking and no exact claim.
"""

import re

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
NOT_A_FUNCTION = re.compile(
    r"^\s*(?:if|for|while|switch|catch|do|else|try|return|namespace|class|struct|enum|union|extern)\b")

NOT_IN_A_HEAD = re.compile(r"^[ \t]*(?:#.*|(?:public|private|protected):)$", re.M)


def blank(match):
    """The same lines, without what stands in them."""
    return '""' * match.group().startswith('"') + "\n" * match.group().count("\n")


def strip_comments_and_text(source):
    # A digit separator (1'000) is no start of a character literal.
    return COMMENT_OR_TEXT.sub(blank, re.sub(r"(?<=\d)'(?=\d)", "", source))


def functions(source):
    """[(first line, lines)] of every function body that is not inside another one."""
    code = NOT_IN_A_HEAD.sub("", strip_comments_and_text(source))
    found, stack, head_start = [], [], 0
    inside_function = False
    for position, character in enumerate(code):
        if character == "{":
            head = code[head_start:position]
            braced_value = position > 0 and not code[position - 1].isspace()
            is_function = (not inside_function and not braced_value and "(" in head
                           and not NOT_A_FUNCTION.match(head) and "=" not in head.split("(")[0])
            stack.append((is_function, braced_value, head_start))
            inside_function |= is_function
        elif character == "}" and stack:
            is_function, braced_value, start = stack.pop()
            if is_function:
                lead = len(code[start:position]) - len(code[start:position].lstrip())
                first = code.count("\n", 0, start + lead) + 1
                found.append((first, code.count("\n", 0, position) + 2 - first))
                inside_function = False
            if braced_value:
                continue
        if character in "{};" and not (character == "{" and stack and stack[-1][1]):
            head_start = position + 1
    return found


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)] if values else 0


def report(sources):
    """Text for {path: source}."""
    lengths = {path: source.count("\n") for path, source in sources.items()}
    sizes = [(size, f"{path}:{first}") for path, source in sources.items()
             for first, size in functions(source)]
    lines = [size for size, _ in sizes]
    long_share = 100 * sum(size > 60 for size in lines) / max(1, len(lines))
    text = [f"files: {len(lengths)}, median {percentile(lengths.values(), 50)} lines, "
            f"p90 {percentile(lengths.values(), 90)}",
            f"functions: {len(lines)}, median {percentile(lines, 50)} lines, "
            f"p90 {percentile(lines, 90)} (aim: 35), above 60 lines: {long_share:.1f} %"]
    text += [f"  {length:5d} lines: {path}" for path, length in
             sorted(lengths.items(), key=lambda item: -item[1])[:5] if length > 250]
    text += [f"  {size:5d} lines: function at {where}" for size, where in
             sorted(sizes, reverse=True)[:5] if size > 35]
    return "\n".join(text)
