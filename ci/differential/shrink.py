"""Smaller texts of a module, of which one that fails in the same way is taken, as long as there is one."""

import ast
import copy

ROUNDS = 30
TRIED = 14


def candidates(text: str):
    """Texts that are smaller by one step, those that leave out most first."""
    tree = ast.parse(text)
    seen = {text}
    for change in changes(tree):
        trial = copy.deepcopy(tree)
        try:
            change(Nodes(trial))
            made = ast.unparse(ast.fix_missing_locations(trial)) + "\n"
        except (ValueError, IndexError, TypeError, AttributeError, StopIteration):
            continue
        if made not in seen and len(made) < len(ast.unparse(tree)) + 1:
            seen.add(made)
            yield made


class Nodes:
    """The parts of a module's text."""

    def __init__(self, tree: ast.Module):
        self.tree = tree
        self.made = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "M")
        self.methods = [n for n in self.made.body if isinstance(n, ast.FunctionDef)]
        self.forward = next(n for n in self.methods if n.name == "forward")
        self.inputs = next(
            n.value for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "inputs"
        )

    def blocks(self) -> list:
        """Every list of statements within the class."""
        return [
            b
            for n in ast.walk(self.made)
            for b in (getattr(n, "body", None), getattr(n, "orelse", None))
            if isinstance(b, list) and b
        ]

    def expressions(self) -> list:
        """Where an expression stands in forward: its parent, the field, and its place in a list."""
        found = []
        for parent in ast.walk(self.forward):
            for field, value in ast.iter_fields(parent):
                if isinstance(value, ast.expr) and field not in ("annotation", "returns", "ctx"):
                    found.append((parent, field, None))
                elif isinstance(value, list):
                    found += [
                        (parent, field, i)
                        for i, v in enumerate(value)
                        if isinstance(v, ast.expr) and field != "targets"
                    ]
        return found


def put(block: list, at: int, statements: list):
    block[at : at + 1] = statements
    if not block:
        block.append(ast.Pass())


def changes(tree: ast.Module):
    nodes = Nodes(tree)
    calls = len(nodes.inputs.elts)
    for keep in (1, 2, calls // 2, calls - 1):
        if 0 < keep < calls:
            yield lambda n, keep=keep: n.inputs.elts.__delitem__(slice(keep, None))
            yield lambda n, keep=keep: n.inputs.elts.__delitem__(slice(0, len(n.inputs.elts) - keep))
    blocks = nodes.blocks()
    for b, block in enumerate(blocks):
        for size in (len(block) // 2, len(block) // 4, 1):
            for at in range(0, len(block) if size else 0, max(size, 1)):
                if any(isinstance(s, (ast.Return, ast.FunctionDef)) for s in block[at : at + size]):
                    continue
                yield lambda n, b=b, at=at, size=size: (
                    n.blocks()[b].__delitem__(slice(at, at + size)),
                    n.blocks()[b].append(ast.Pass()) if not n.blocks()[b] else None,
                )
        for at, statement in enumerate(block):
            for field in ("body", "orelse"):
                inner = getattr(statement, field, None)
                if isinstance(inner, list) and inner and not isinstance(statement, ast.FunctionDef):
                    yield lambda n, b=b, at=at, field=field: put(n.blocks()[b], at, getattr(n.blocks()[b][at], field))
    result = nodes.forward.body[-1]
    if isinstance(result, ast.Return) and isinstance(result.value, ast.Tuple):
        for i in range(len(result.value.elts)):
            yield lambda n, i=i: setattr(n.forward.body[-1], "value", n.forward.body[-1].value.elts[i])
            yield lambda n, i=i: n.forward.body[-1].value.elts.__delitem__(i)
    for i in range(len(nodes.forward.args.args) - 1):
        yield lambda n, i=i: (
            n.forward.args.args.__delitem__(i + 1),
            [call.elts.__delitem__(i) for call in n.inputs.elts],
        )
    for e, (parent, field, at) in enumerate(nodes.expressions()):
        here = getattr(parent, field) if at is None else getattr(parent, field)[at]
        for c in range(len(parts(here))):
            yield lambda n, e=e, c=c: replace(n.expressions()[e], c)


def parts(e: ast.expr) -> list:
    """Expressions that may stand in this one's place."""
    if isinstance(e, ast.Call):
        return ([e.func.value] if isinstance(e.func, ast.Attribute) else []) + list(e.args)
    if isinstance(e, ast.BinOp):
        return [e.left, e.right]
    if isinstance(e, (ast.Subscript, ast.UnaryOp)):
        return [e.value if isinstance(e, ast.Subscript) else e.operand]
    return list(e.values) if isinstance(e, ast.BoolOp) else []


def replace(place, child: int):
    parent, field, at = place
    if at is None:
        setattr(parent, field, parts(getattr(parent, field))[child])
    else:
        getattr(parent, field)[at] = parts(getattr(parent, field)[at])[child]


def shrink(failures: list, fails, until=lambda: False) -> list:
    """Of each failure a smaller text.

    A failure has `text`, and `fails` says of pairs of failures and texts which of these fail as they do; all are tried at once.
    """
    texts = [f.text for f in failures]
    tried = [set() for _ in failures]
    open_ones = set(range(len(failures)))
    for _ in range(ROUNDS):
        if not open_ones or until():
            break
        pairs = []
        for i in sorted(open_ones):
            fresh = [c for c in candidates(texts[i]) if c not in tried[i]][:TRIED]
            tried[i].update(fresh)
            pairs += [(i, c) for c in fresh]
            if not fresh:
                open_ones.discard(i)
        found = fails([(failures[i], c) for i, c in pairs])
        for (i, c), same in zip(pairs, found):
            if same and len(c) < len(texts[i]):
                texts[i] = c
    return texts
