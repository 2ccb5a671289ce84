"""Just enough C++ for the layout rules: blanks comments and literals, finds includes and functions.

This is no parser. It relies on code formatted by clang-format and on preprocessor branches that
hold whole functions; where the braces do not add up it says so instead of guessing.
"""

import collections
import re

Include = collections.namedtuple("Include", "line target quoted")
Function = collections.namedtuple("Function", "name first last")

COMMENT = r"//[^\n]*|/\*.*?\*/"
RAW_STRING = r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
# A quote behind a digit separates digits, as in 1'000'000.
LITERAL = RAW_STRING + r"""|"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'"""
TOKEN = re.compile(f"(?P<comment>{COMMENT})|(?:{LITERAL})", re.DOTALL)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)

ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")
TEMPLATE = re.compile(r"template\s*<.*?>\s*(?=[a-zA-Z_\[~])", re.DOTALL)
SCOPE = re.compile(r"(?:inline\s+)?namespace\b|extern\s*$"
                   r"|(?:requires\b[^(]*\s)?(?:class|struct|union|enum)\b")
# What stands between a function's parentheses and its body, when nothing unusual does.
ENDS_AS_FUNCTION = re.compile(r"\)(?:\s*(?:const|noexcept|override|final|&&?))*\s*$")


class Unbalanced(Exception):
    """A brace without its partner."""


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with every comment turned into spaces: lines and columns stay."""
    return TOKEN.sub(lambda m: _spaces(m[0]) if m["comment"] else m[0], text)


def code_only(text):
    """The text with comments, strings and character literals turned into spaces."""
    return TOKEN.sub(lambda m: _spaces(m[0]), text)


def line_of(text, offset):
    """The number of the line that holds the character at `offset`."""
    return text.count("\n", 0, offset) + 1


def includes(text):
    """The #include lines of a file, those in comments left out."""
    code = without_comments(text)
    return [Include(line_of(code, match.start(1)), match[2], match[1] == '"')
            for match in INCLUDE.finditer(code)]


def functions(text):
    """The functions of a file, methods and test cases included, with their first and last line.

    Goes from brace to brace. What stands before an opening brace, back to the last `;`, `{` or `}`,
    is its heading. The brace of a namespace or a class is entered, that of a function is measured
    to its partner, so that lambdas and blocks count as part of the function that holds them.
    """
    code = DIRECTIVE.sub(lambda m: _spaces(m[0]), code_only(text))
    found = []
    start = 0  # of the heading
    depth = 0  # of entered scopes
    position = 0
    while position < len(code):
        character = code[position]
        if character in ";}":
            start = position + 1
            depth -= character == "}"
            if depth < 0:
                raise Unbalanced(f"line {line_of(code, position)} closes a brace too many")
        elif character == "{":
            heading = code[start:position]
            if _opens_scope(heading):
                start = position + 1
                depth += 1
            else:
                end = _end(code, position)
                if not _goes_on(code, heading, end):
                    if _is_function(heading):
                        found.append(_function(code, start, heading, end))
                    start = end + 1
                position = end
        position += 1
    if depth > 0:
        raise Unbalanced("a namespace or a class is never closed")
    return found


def _plain(heading):
    """A heading without access labels and template parameters."""
    return TEMPLATE.sub("", heading[ACCESS.match(heading).end():], count=1).strip()


def _opens_scope(heading):
    plain = _plain(heading)
    return bool(SCOPE.match(plain)) and not ENDS_AS_FUNCTION.search(plain)


def _is_function(heading):
    plain = _plain(heading)
    if re.search(r"=\s*\[[^\[\]]*\]", plain):
        return True  # a lambda with a name
    initializes = "=" in _outside_parentheses(plain) and "operator" not in plain
    return ")" in plain and not initializes and not plain.endswith("]")


def _outside_parentheses(text):
    shorter = re.sub(r"\([^()]*\)", "", text)
    return text if shorter == text else _outside_parentheses(shorter)


def _goes_on(code, heading, end):
    """Whether the brace that closes at `end` belongs to a value inside the heading.

    That is a default argument, `f(Limits limits = {})`, or a member's initializer, `: size_{0} {`.
    """
    inside_parentheses = heading.count("(") > heading.count(")")
    rest = code[end + 1:].lstrip()
    return inside_parentheses or (_is_function(heading) and rest[:1] in (",", "{"))


def _partner(code, opening):
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise Unbalanced(f"the brace opened in line {line_of(code, opening)} is never closed")


def _end(code, opening):
    """The last brace of a body, with the handlers of a function that is one `try` altogether."""
    end = _partner(code, opening)
    while re.match(r"\s*catch\b", code[end + 1:]):
        end = _partner(code, code.index("{", end + 1))
    return end


def _function(code, start, heading, end):
    first = start + ACCESS.match(heading).end()
    name = re.search(r"([\w:~]+)\s*\(", _plain(heading))
    return Function(name[1] if name else "a lambda", line_of(code, first), line_of(code, end))
