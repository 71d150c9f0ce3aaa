"""What the names of columns say: identifiers, units, times."""

import re

__all__ = [
    "has_word",
    "is_count",
    "is_identifier_name",
    "is_number_of_known_unit",
    "is_place_or_phone",
    "is_unit_number",
]

_UNITS = (  # words for what has several rows or a number
    "patient|subject|subj|person|participant|donor|user|customer|client|member|employee|student|player|doctor|household|"
    "family|school|hospital|farm|account|device|machine|firm|animal|chick|cow|mouse|litter|site|case|record|sample|"
    "specimen|batch|horse|dog|athlete|runner|swimmer|rider|driver|speaker|pupil|clinic|village|plot|station|expediente|"
    "parcela|parcelle|parzelle|dossier|proband|teilnehmer|kunde|debitor|kreditor|schüler|sujet|paciente|sujeto|alumno|"
    "cliente|maszyn[ay]|klienta?|pacjenta?|uczeń|ucznia|établissement|étudiant|paziente|studente|alunno|aluno|máquina|"
    "macchina|leerling|klant|пациент|клиент"
)
_OTHER_UNITS = (
    "pat|host|cust|emp|staff|passenger|guest|respondent|borrower|tenant|voter|acct|order|invoice|booking|trip"
)
# Words for the number of a unit, whatever stands before them.
_SIGNS = "#|№|编号|編號|番号|번호|رقم"
_NUMBERS = rf"id|ids|uuid|guid|pid|fid|iid|mrn|ssn|nbr|bib|\w*nummer|\w+nr|{_SIGNS}"
_NO = f"no|nr|num|number|numéro|número|numero|номер|{_SIGNS}"
_CODES = "(micro)?chip|bar ?code|strichcode|code-barres|штрих-?код|isbn|ean|imei|iban"
_POSTAL_CODES = (
    "zip|zip ?code|post ?code|postal ?code|plz|postleitzahl|code postal|c(ó|o)digo postal|cep|psč|kod pocztowy|"
    "postnummer|postinumero|posta kodu|irányítószám|почтовый индекс|郵便番号|邮编|郵遞區號|우편번호"
)
_COORDINATES = "lat(itude)?[^a-z]*(lng|lon|long|longitude)|coords?|coordinates?|geo ?(location|point|code)"
_PHONES = "phone|telephone|tel|mobile|fax|telefon|téléphone|teléfono|telefone"
_PERSON_NUMBERS = "cpf|cnpj|nif|nie|curp|ssn|инн|снилс|pesel|personnummer|cpr|bsn|ipp|aadhaar|nhs[^a-z]+number"
_KEYS = f"e-?mail|index|idx|key|matr[ií]cula|{_NO}|{_CODES}"
_COUNT = (
    r"(no|nr|num|number|count|anzahl|nombre|número|numero|aantal|liczba|počet|antal)[^a-z]+(of|de|di|von|der|van)|"
    r"n_.*|num_.*|count|\w*anzahl|liczba|počet|antal|aantal|число|количество|件数|回数|人数|건수|횟수|数量"
)
_MEASURE = "site[^a-z]+index"  # of forests
_KNOWN_UNIT = rf"({_UNITS}|{_OTHER_UNITS})[^a-z]*({_NO}|key|code|index|id)"
_UNIT_NUMBER = rf"({_NUMBERS})|{_KNOWN_UNIT}|unnamed[^a-z]+0"


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
    counts = has_word(name, f"(no|nr|number|count)[^a-z]+of|per|{_MEASURE}") or re.match(r"no[\dx]", name.lower())
    words = f"({_UNITS}|{_NUMBERS}|{_KEYS})([^a-z]+(name|code|tag))?[^a-z]*$|({_UNIT_NUMBER})[^a-z]*$"
    sign = name.lower().startswith(("id ", "nº ", "n° ", "№ ", "č. ")) and not name.endswith("s")  # several: a count
    return not counts and (has_word(name, words) or has_word(name, _PERSON_NUMBERS) or sign)


def is_count(name):
    """Whether a name is that of a count, as "Number of claims" and "Anzahl Kinder"."""
    return has_word(name, _COUNT)


def is_unit_number(name):
    """Whether a name is that of the number of a unit, as "patient_nbr", "CLIENTNUM" or "Unnamed: 0"."""
    return is_identifier_name(name) and has_word(name, f"({_UNIT_NUMBER})[^a-z]*$")


def is_number_of_known_unit(name):
    """Whether a name says of what it is the number, as "patient_nbr" and "Customer no.", and unlike "StatusID"."""
    return has_word(name, _PERSON_NUMBERS) or (is_identifier_name(name) and has_word(name, f"({_KNOWN_UNIT})[^a-z]*$"))


def is_place_or_phone(name):
    """Whether a name is that of postal codes, coordinates or phone numbers, as "District (ZIP)" and "Lat Long"."""
    words = f"({_POSTAL_CODES}|{_COORDINATES}|{_PHONES})([^a-z]+(no|number|code))?[^a-z]*$"
    return any(has_word(part, words) for part in re.split(r"[()\[\]]", name))
