"""The types of the public API: complete, and what mypy makes of them."""

import inspect

import pytest


@pytest.fixture
def public_callables(root, monkeypatch):
    """Every public function, constructor, method and property that the package itself defines, by its path."""
    monkeypatch.syspath_prepend(root / "book")
    from _ext import api_pages

    found = {}
    for path, thing in api_pages.public_objects().items():
        if not inspect.isclass(thing):
            found[path] = thing
            continue
        for ancestor in inspect.getmro(thing):
            if not ancestor.__module__.startswith("fscore"):
                continue
            for name, member in vars(ancestor).items():
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                    found[f"{ancestor.__module__}.{ancestor.__qualname__}.{name}"] = function
    return found


def test_every_parameter_and_result_of_the_public_face_is_annotated(public_callables):
    assert {"fscore.filters.relieff", "fscore.search._selector.SubsetSearch.fit"} <= set(public_callables)
    bare = []
    for path, function in public_callables.items():
        signature = inspect.signature(function)
        names = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
        if signature.return_annotation is signature.empty:
            names.append("return")
        bare += [f"{path}: {name}" for name in names]
    assert not bare


def test_signatures_are_short(public_callables):
    signature = str(inspect.signature(public_callables["fscore.filters.relieff"]))
    assert "X: fscore._typing.ArrayLike, y: fscore._typing.ArrayLike," in signature
    assert "fscore._typing.Columns" in signature
    long = [path for path, function in public_callables.items() if "numpy._typing" in str(inspect.signature(function))]
    assert not long
