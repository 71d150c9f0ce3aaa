"""What the names of columns say: identifiers, units, times."""

import re

from fscore.datasets.words import any_of

__all__ = [
    "has_word",
    "is_coordinate",
    "is_count",
    "is_identifier_name",
    "is_number_of_known_unit",
    "is_place",
    "is_postal_code_or_phone",
    "is_unit",
    "is_unit_number",
]

_NUMBER = any_of("number", "sign_of_number")
_LABEL = rf"{any_of('number_of_unit')}|{_NUMBER}|key|code|index"
_KNOWN_UNIT = rf"({any_of('unit', 'other_unit')})[^a-z]*({_LABEL})"
_PLACE_NUMBER = rf"({any_of('place')})[^a-z]*({_LABEL})[^a-z]*$"
_NUMBER_OF_UNIT = rf"(n[°º]|{_NUMBER})[^a-z]*({any_of('unit', 'other_unit')})"
_UNIT_NUMBER = rf"({any_of('number_of_unit', 'sign_of_number')})|{_KNOWN_UNIT}|unnamed[^a-z]+0"


def has_word(name, words):
    """Whether a name has one of some words (a regular expression), as "patient_id", "CustomerId" and "ID" have "id".

    What a name has in brackets at its end doesn't count.
    """
    plain = re.sub("([a-z])([A-Z])", r"\1 \2", name.partition("(")[0]).lower()
    return bool(re.search(f"(^|[^a-z])({words})($|[^a-z])", plain))


def is_identifier_name(name):
    """Whether a name is that of an identifier, as "patient_id", "Site (code)" or "Client no.", and not of a count.

    Nor of a chemical, as "NO2", nor a question.
    """
    if name.strip().endswith("?"):
        return False
    counts = has_word(name, "(no|nr|number|count)[^a-z]+of|per|site[^a-z]+index") or re.match(r"no[\dx]", name.lower())
    named = any_of("unit", "number_of_unit", "sign_of_number", "key", "number", "code")
    words = f"({named})([^a-z]+(name|code|tag))?[^a-z]*$|({_UNIT_NUMBER})[^a-z]*$"
    sign = name.lower().startswith(("id ", "nº ", "n° ", "№ ", "č. ")) and not name.endswith("s")  # several: a count
    return not counts and (has_word(name, words) or has_word(name, any_of("person_number")) or sign)


def is_count(name):
    """Whether a name is that of a count, as "Number of claims" and "Anzahl Kinder"."""
    return has_word(name, any_of("count"))


def is_unit_number(name):
    """Whether a name is that of the number of a unit, as "patient_nbr", "CLIENTNUM", "Unnamed: 0" or "SIC code"."""
    of_unit = is_identifier_name(name) and has_word(name, f"({_UNIT_NUMBER})[^a-z]*$")
    return of_unit or has_word(name, rf"{_PLACE_NUMBER}|[a-z]+[^a-z]+codes?[^a-z]*$")


def is_number_of_known_unit(name):
    """Whether a name says of what it is the number, as "patient_nbr" and "No. client", and unlike "StatusID"."""
    return has_word(name, any_of("person_number")) or (
        is_identifier_name(name) and has_word(name, f"({_KNOWN_UNIT}|{_NUMBER_OF_UNIT})[^a-z]*$")
    )


def is_unit(name):
    """Whether a name is that of a unit, as "Batch" and "patient_nbr"."""
    return is_number_of_known_unit(name) or has_word(name, f"({any_of('unit')})[^a-z]*$")


def is_place(name):
    """Whether a name is that of what may be numbered, such as "Store", "Police District" and "region_code"."""
    return has_word(name, rf"({any_of('place')})[^a-z]*$|{_PLACE_NUMBER}")


def is_coordinate(name):
    """Whether a name is that of coordinates, as "Lat Long", "Place (coordinates)" and "X Coordinate"."""
    return _ends_with(name, "coordinates")


def is_postal_code_or_phone(name):
    """Whether a name is that of postal codes or phone numbers, as "District (ZIP)" and "Phone no."."""
    return _ends_with(name, "postal_code", "phone")


def _ends_with(name, *kinds):
    words = f"({any_of(*kinds)})([^a-z]+(no|number|code))?[^a-z]*$"
    return any(has_word(part, words) for part in re.split(r"[()\[\]]", name))
