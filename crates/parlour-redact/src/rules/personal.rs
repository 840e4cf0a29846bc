//! Personal data: what can be told by its shape and its own check digits, or by a word beside it.

use super::super::{
    personal,
    rule::{Rule, digits, rule},
};

pub(super) const RULES: &[Rule] = &[
    digits("card", 13, r"(?:^|[^0-9A-Za-z.,_+/=-])(\d(?:[ -]?\d){12,18})(?:[^0-9A-Za-z_-]|$)").checked(personal::is_card),
    rule("card-code", &["cvv", "cvc", "cvv2", "security code"], r"(?i)\b(?:cvv2?|cvc2?|security code)(?:\s+is)?\s*[:=]?\s*(\d{3,4})\b"),
    digits("iban", 8, r"\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b").checked(personal::is_iban),
    rule("mail", &["@"], r"[\p{L}\p{N}][\p{L}\p{N}._%+'-]*@(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+\p{L}{2,24}").checked(personal::is_mail),
    rule("mail", &["(at)", "[at]", " at ", "{at}"], r"(?i)\b[a-z0-9][a-z0-9._-]{0,40}\s?(?:[\[({]\s?at\s?[\])}])\s?[a-z0-9-]+(?:\s?(?:[\[({]\s?(?:dot|punkt)\s?[\])}]|\.)\s?[a-z0-9-]+){1,3}"),
    rule("mail", &[" dot "], r"(?i)\b[a-z0-9][a-z0-9._-]{1,40} at [a-z0-9-]{2,40} dot (?:com|org|net|io|dev|de|co|uk|fr|es|it|nl|ch|at|eu|ai|app)\b"),
    digits("phone", 8, r"(?:^|[^\w+.=/-])(\+\d{1,3}[ .\-/]?(?:\(\d{1,5}\)[ .\-]?)?\d{1,5}(?:[ .\-/]{0,1}\d{2,5}){1,5})").checked(personal::is_phone),
    digits("phone", 10, r"(?:^|[^\w.+/-])(\(\d{3}\)[ -]?\d{3}[ .-]\d{4})(?:[^\w-]|$)"),
    digits("phone", 10, r"(?:^|[^\w.+/:-])((?:1[ -])?[2-9]\d{2}-\d{3}-\d{4})(?:[^\w/-]|$)"),
    digits("phone", 9, r"(?:^|[^\w.+/:,-])(0[1-9]\d{1,4}(?:\)| )?[ /-]\d{3,8}(?:[ -]\d{2,6}){0,2}|\(0[1-9]\d{1,4}\)[ -]?\d{3,8}(?:[ -]\d{2,6}){0,2}|0[1-9](?:[ .]\d\d){4}|00[1-9]\d{0,2}[ -]\d{1,5}(?:[ -]\d{2,8}){1,4})(?:[^\w/:.-]|[.](?:\s|$)|$)").checked(personal::is_national_phone),
    rule(
        "phone",
        &["phone", "tel", "mobil", "cell", "handy", "call me", "ring me", "text me", "reach me", "whatsapp", "fax", "signal", "sms", "nummer", "telefon", "numéro", "teléfono", "cellulare", "celular"],
        r"(?i)\b(?:telephone|telefon\w*|phone(?: number| no\.?)?|tel(?:\.|efono|éfono)?|mobile(?: number)?|mobil\w*|cell(?:ular|ulare)?(?: number| phone)?|handy(?:nummer)?|whatsapp|fax|signal|sms|(?:call|ring|text|reach) me (?:at|on|under)|nummer|numéro)(?:\s(?:is|ist|est|es|number|at|on|to))?\s*[:=#]?\s*\(?([0-9(][0-9 ().\-/]{5,18}[0-9])\b",
    )
    .checked(personal::is_named_phone),
    digits("ip", 4, r"(?:^|[^\w.+/@-])(?:[a-z]+://)?(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?:[^\w.-]|\.(?:\s|$)|-(?:\s|$)|$)").checked(personal::is_ip),
    digits("ip", 4, r"(?:@|//)(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\b").checked(personal::is_ip),
    rule("ip", &["::", ":"], r"(?i)(?:^|[^\w:.])((?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}|:)(?::[0-9a-f]{1,4}){0,6}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6})(?:[^\w:]|$)").checked(personal::is_ipv6),
    rule("mac", &[":", "-"], r"(?:^|[^\w:-])((?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2})(?:[^\w:-]|$)").checked(personal::is_mac),
    rule("mac", &["mac"], r"(?i)\bmac(?: address)?\s*[:=]?\s*((?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\b"),
    digits("national-id", 9, r"(?:^|[^\w.+/-])(\d{3}-\d{2}-\d{4})(?:[^\w/-]|$)").checked(personal::is_ssn),
    digits("national-id", 11, r"(?:^|[^\w.-])(\d{3}\.\d{3}\.\d{3}-\d{2})(?:[^\w-]|$)").checked(personal::is_cpf),
    digits("national-id", 13, r"(?:^|[^\w.-])(756\.\d{4}\.\d{4}\.\d{2})(?:[^\w-]|$)").checked(personal::is_ahv),
    digits("national-id", 7, r"\b([A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])\b"),
    rule(
        "national-id",
        &["ssn", "social security", "social insurance", "national insurance", "nino", "steuer", "tax id", "taxpayer", "tin", "dni", "nie", "cpf", "aadhaar", "pan ", "pesel", "bsn", "personnummer", "codice fiscale", "insee", "tfn", "nhs", "sozialversicherung", "svnr", "rentenversicherung", "curp", "itin", "medicare"],
        r"(?i)\b(?:ssn|itin|social security(?: number| no\.?)?|social insurance(?: number)?|national insurance(?: number| no\.?)?|nino|steuer-?(?:id|identifikationsnummer|nummer)(?:nr\.?)?|tax(?:payer)? id(?:entification number)?|tin|dni|nie|nif|cpf|aadhaar(?: number)?|pan(?: card| number)?|pesel|bsn|personnummer|codice fiscale|insee|tfn|nhs(?: number)?|sozialversicherungsnummer|svnr|rentenversicherungsnummer|curp|medicare(?: number)?)(?:\s(?:is|ist|est|es|è))?\s*[:=#]?\s*((?:[A-Z]{1,5}[ -]?)?\d[A-Z0-9]{0,5}(?:[ .\-/]?[A-Z0-9]{1,8}){1,6})\b",
    )
    .checked(personal::has_digits),
    rule(
        "passport",
        &["passport", "reisepass", "personalausweis", "pasaporte", "passeport", "driver", "driving", "führerschein"],
        r"(?i)\b(?:passport|reisepass|personalausweis|pasaporte|passeport|(?:driver'?s?|driving) licen[cs]e|führerschein)(?:[ -]?(?:number|nummer|nr\.?|no\.?|num|#))?(?:\s(?:is|ist|est|es))?\s*[:=#]?\s*([A-Z0-9]{6,16})\b",
    )
    .checked(personal::has_digits),
    rule(
        "birth-date",
        &["birth", "born", "dob", "d.o.b", "geburt", "geboren", "naissance", "né le", "née le", "nacimiento", "bday"],
        r"(?i)\b(?:date of birth|birth ?date|birthday|bday|born(?: on)?|dob|d\.o\.b\.?|geburtsdatum|geburtstag|geboren(?: am)?|geb\.|date de naissance|née? le|fecha de nacimiento)(?:\s(?:is|was|ist|est|es|on))?\s*[:=]?\s*(?:the\s)?(\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?\p{L}{3,10}\.?,?\s\d{4}|\p{L}{3,10}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4})\b",
    ),
    rule(
        "address",
        &["street", "avenue", "road", "lane", "drive", "boulevard", " st", " ave", " rd", " blvd", " ln", " ct", " court", "terrace", "place", "square", " way"],
        r"\b(\d{1,5}[A-Z]? (?:[NSEW]\.? )?(?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Terrace|Place|Pl|Square)\.?,? (?:(?:Apt|Suite|Unit|Flat|#)\.? ?[A-Za-z0-9-]{1,5},? )?(?:[A-Z][a-z]+,? ){1,3}(?:[A-Z]{2},? )?(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}))\b",
    ),
    rule(
        "address",
        &["straße", "strasse", "str.", "weg", "platz", "allee", "gasse", "ring", "damm"],
        r"((?:[A-ZÄÖÜ][\p{L}-]+ ?)?(?:\p{L}*(?:straße|strasse|str\.|weg|platz|allee|gasse|damm)|(?:Straße|Platz|Allee|Weg)) \d{1,4} ?[a-z]?, ?(?:D-|A-|CH-)?\d{4,5} [A-ZÄÖÜ]\p{L}+)",
    ),
    rule(
        "address",
        &["live at", "lives at", "living at", "address is", "address:", "ship to", "ship it to", "deliver to", "home address"],
        r"(?i:\b(?:lives?|living) at|(?:home |mailing |postal |shipping )?address(?: is|:)|ship(?: it)? to:?|deliver(?: it)? to:?)\s+(\d{1,5}[A-Za-z]? (?:[NSEW]\.? )?(?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Terrace|Place|Pl|Square)\b\.?)",
    ),
    rule(
        "location",
        &["gps", "coord", "latitude", "lat:", "lat=", "lat ", "located at", "koordinaten", "geo:"],
        r"(?i)(?:\bgps|\bcoord\w*|\bkoordinaten|\blocated at|\bgeo:)[^\d\n-]{0,24}(-?\d{1,2}\.\d{3,}\s*°?\s*[NS]?\s*[,;/ ]\s*-?\d{1,3}\.\d{3,}(?:\s*°?\s*[EW]\b)?)",
    ),
    rule("location", &["lat"], r#"(?i)\blat(?:itude)?["']?\s*[:=]?\s*(-?\d{1,2}\.\d{3,}["']?\s*[,;]?\s*["']?lo?ng?(?:itude)?["']?\s*[:=]?\s*-?\d{1,3}\.\d{3,})"#),
    rule("location", &["°"], r#"(\d{1,2}°\s?\d{1,2}['′]\s?[\d.]{1,7}["″]?\s?[NS],?\s+\d{1,3}°\s?\d{1,2}['′]\s?[\d.]{1,7}["″]?\s?[EW])"#),
];
