//! Sentences: what opens something, in many languages, and what is answered to who asks.

use super::super::{
    check,
    rule::{Rule, rule},
    spoken,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "password",
        &["unzip", "untar", "extract", "unpack", "decrypt", "unlock", "open", "entpack", "öffn", "ouvr", "abr", "apri", "decompr", "uitpak", "pak uit", "rozpak", "packa upp", "pakk ut"],
        r"(?i)(?:\b(?:un)?(?:zip|tar|lock|pack)s?|\bextracts?|\bdecrypts?|\bopens?|\bentpack[a-z]{1,3}|öffne[a-zà-ÿ]{0,2}|\bouvr[a-zà-ÿ]{1,4}|\babr[a-zà-ÿ]{1,4}|\bapr[a-z]{1,4}|\bd[ée]compr[a-zà-ÿ]{2,6}|\buitpakken|\bpak uit|\brozpak[a-zà-ÿ]{2,4})(?:\s(?:it|them|this|that|those|up|sie|es|das|die|le|la|les|lo|het|(?:the|my|our|den|die|das|le|la|el|il|de|het)\s\p{L}{2,20}))?\s(?:with|using|by typing|mit|avec|con|com|met|med|hasłem|z hasłem)\s(?:(?:the\s|dem\s|le\s|la\s)?(?:pw|pass|password|passwort|code)\s)?[\x22'`“„]?([^\s\x22'`“”,;]{6,60}?)[.!?)]?(?:[\s\x22'`”,;]|$)",
    )
    .checked(spoken::is_opening_word),
    rule(
        "code",
        &["code", "kode", "kod", "código", "codigo", "codice", "codul", "kód", "koodi", "код", "cijfer", "combination", "combo", "zahlen", "pin"],
        r"(?i)(?:\b(?:(?:[a-zà-ÿ]{0,14})code|koden?|kod(?:en|em|et)?|k[óo]d(?:ja)?|koodi|c[óo]digo|codice|codul|cijfercode|combination|combo|zahlencode|pin)\b|\bкод)(?:[^\n\d?]{0,80}?(?:\s(?:is|was|now|to|ist|lautet|est|es|é|è|er|är|je|jest|este|nu|jetzt|ahora|agora|ora|adesso|maintenant|(?:changé|passe|passé) (?:à|en)|(?:veranderd|gewijzigd|cambiato|mutato) in|naar|til|till|auf|with|mit|avec|con|med)|[:=→–—-]))?\s{1,2}([#*]?(?-i:\d[0-9A-F]{3,7})[#*]?)(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_opening_code),
    rule(
        "pin",
        &["with", "mit ", "avec", "con ", "com ", "med ", "met "],
        r"(?i)\s(?:with|mit|avec|con|com|med|met)\s(?:the\s(?:code|pin)\s|dem\scode\s)?([#*]?\d{4,8}[#*]?)(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_opened_with),
    rule(
        "pin",
        &["entsperr", "unlock", "déverrouill", "desbloque", "sblocc", "ontgrendel", "öffn", "disarm", "open"],
        r"(?i)(?:entsperr|unlock|déverrouill|desbloque|sblocc|ontgrendel|\böffn|disarm)[a-zà-ÿ]{0,6}\b[^\n\d:=]{0,24}?\s([#*]?\d{4,8}[#*]?)\s(?:eintippen|eingeben|tippen|drücken|wählen|invoeren|intoetsen)\b",
    ),
    rule(
        "pin",
        &["enter", "type", "tap", "punch", "dial", "press", "key in", "tippe"],
        r"(?i)\b(?:enter|type|tap|punch|dial|press|key|tippe|composez|tape|marca|digita)(?:\sin)?\s([#*]?\d{4,8}[#*]?)(?:\s(?:and|then|to|at|on|und|puis|y|e|an|am|for)\b|[.,;!]|$)",
    )
    .checked(spoken::is_opened_with),
    rule(
        "pin",
        &["-"],
        r"[:=→]\s{0,2}(\d(?:-\d){3,7})(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_opening_code),
    rule(
        "password",
        &["it's", "it’s", "it is", "c'est", "ist es", "ist das"],
        r"(?i)\b(?:for|as|für|als|pour|para|per)\s(?:the\s|den\s|le\s|el\s)?(?:admin|administrator|root|guest|service|operator|user|tech|support|backup|demo|test|sysop|superuser)\s(?:user\s|account\s|login\s|konto\s)?(?:it['’]s|it is|its|ist es|ist das|c['’]est|es)\s[\x22'`]?([^\s\x22'`,;]{6,60})",
    )
    .checked(check::is_pair_password),
    rule(
        "code",
        &["from", "von", "de ", "från", "fra", "van"],
        r"(?i)\b(?:[a-zà-ÿ]{0,14}code|koden|kod|c[óo]digo|codice|pin|combination|combo)\b[^\n\d]{0,60}?\b(?:from|von|vom|de|da|från|fra|van)\s(\d{4,8})#?\s(?:to|auf|zu|à|a|al|til|till|naar)\s\d{4,8}",
    )
    .checked(spoken::is_opening_code),
    rule(
        "code",
        &["from", "von", "de ", "från", "fra", "van"],
        r"(?i)\b(?:[a-zà-ÿ]{0,14}code|koden|kod|c[óo]digo|codice|pin|combination|combo)\b[^\n\d]{0,60}?\b(?:from|von|vom|de|da|från|fra|van)\s(?:\d{4,8}#?|\[[a-z]{3,8} \d{1,4}\])\s(?:to|auf|zu|à|a|al|til|till|naar)\s(\d{4,8})",
    )
    .checked(spoken::is_opening_code),
    rule(
        "pin",
        &["alarm", "larm", "riasztó"],
        r"(?i)\b\p{L}{0,12}(?:alarm|larm)\p{L}{0,6}\b[^\n\d]{0,40}?\b(?:with|mit|avec|con|com|med|met|off|aus|fra med|code)\s(\d{4,8})[#*]?(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_no_naming_code),
    rule(
        "pin",
        &["left", "right", "links", "rechts"],
        r"(?i)\b(?:safe|combination|combo|lock|tresor)\b[^\n\d]{0,30}?\b((?:left|right|links|rechts)[ :]{1,2}\d{1,2}[\s,;/-]{1,3}(?:(?:then\s|dann\s)?(?:left|right|links|rechts)[ :]{1,2}\d{1,2}[\s,;/-]{0,3}){1,4})",
    ),
    rule(
        "api-key",
        &["key", "token", "secret", "licen", "schlüssel", "clé", "clave", "chiave", "klucz", "sleutel"],
        r"(?i)(?:\b(?:keys?|tokens?|secrets?|licen[cs]e|clave|chiave|klucz|sleutel)\b|schlüssel|\bclé)[^\n?]{0,80}\?[\s)\x22']{0,3}(?:[^\n]{0,48}?[\s:>–—-])?[\x22'`]?([0-9A-Za-z_-]{20,200})(?:[\s\x22'`,.;)]|$)",
    )
    .checked(spoken::is_answered_key),
    rule(
        "api-key",
        &["key", "token", "schlüssel", "clé", "clave", "chiave"],
        r"(?i)(?:\b(?:key|token|clave|chiave)\b|schlüssel|\bclé)(?:\s(?:for|of|to|from|we|you|i|that|für|vom|pour|de|du|para|del|per)\b[^\n:=?]{1,60}?)?(?:\s\([^()\n]{1,20}\))?(?:\s(?:is|was|ist|lautet|est|es|è|reads)(?:\snow|\sjetzt)?|['’]s|[ \t]{0,2}[:=→])\s{1,2}[\x22'`]?([0-9A-Za-z_-]{20,200})(?:[\s\x22'`,.;)]|$)",
    )
    .checked(spoken::is_answered_key),
    rule(
        "password",
        &["old ", "alt ", "previous"],
        r"(?i)\b(?:rotat|chang|reset|swapp|replac|geändert|rotier)[^\n]{0,60}?\b(?:old|previous|alt)\b(?:\s(?:one|pw|password))?(?:\s(?:is|was))?:?\s[\x22'`]?([^\s\x22'`,;]{6,60})[\x22'`]?[,;]?\s(?:and\s|und\s)?(?:the\s)?(?:new|neu)\b",
    )
    .checked(check::is_mixed_word),
    rule(
        "password",
        &["old ", "alt ", "previous"],
        r"(?i)\b(?:old|previous|alt)\b(?:\s(?:one|pw|password))?(?:\s(?:is|was))?:?\s[^\s,;]{6,60}[,;]?\s(?:and\s|und\s)?(?:the\s)?(?:new|neu)\b(?:\s(?:one|pw|password))?(?:\s(?:is))?:?\s[\x22'`]?([^\s\x22'`,;]{6,60})",
    )
    .checked(check::is_mixed_word),
    rule(
        "password",
        &["network", "ssid", "wifi", "wi-fi", "wlan", "netz", "réseau", "hotspot"],
        r"(?i)\b(?:network|ssid|wi-?fi|wlan|netz(?:werk)?|réseau|hotspot)\b[^\n]{1,60}?[,;/|–—]\s{0,2}(?:the\s)?(?:key|code|pw|pass|password|passwort|schlüssel|clé|clave|chiave|mdp|psk)(?:\s(?:is\s|ist\s|est\s|es\s)?|\s{0,2}[:=]\s{0,2})[\x22'`“]?([0-9A-Za-zà-ÿ][0-9A-Za-zÀ-ÿ_.!#&+*-]{5,40}?)[\x22'`”]?[ \t]*(?:[.,;)!\n]|$)",
    )
    .checked(spoken::is_plain_word),
    rule(
        "password",
        &["wifi", "wi-fi", "wlan", "network", "zip", "archive", "pdf", "guest", "hotspot", "netz"],
        r"(?i)(?:wi-?fi|wlan|\bnetwork|netzwerk|\bzip|\barchive|archiv|\bpdf|\bguest|hotspot|gäste)\b[^\n:=]{0,30}?(?:\b(?:pw|pass|password|passwort|kennwort|passcode|heslo|senha|contraseña|wachtwoord|passord|key)\b|hasło|lösenord)[^\n:=]{0,30}?(?:[:=→]|\s(?:is|ist|lautet|est|c['’]est|es|è|é|är|er)(?:\s(?:now|jetzt|nun|still|noch))?)\s{1,2}[\x22'`“]?((?-i:[a-zà-ÿ]{8,30}(?:[-_][a-zà-ÿ]{2,20}){0,5}))[\x22'`”]?[ \t]*(?:[.,;)!\n]|$)",
    )
    .checked(spoken::is_plain_word),
    rule(
        "password",
        &["wifi", "wi-fi", "wlan", "zip", "archiv", "pdf", "hotspot", "gäst"],
        r"(?i)(?:\b(?:pw|pass|password|passwort|kennwort|senha|contraseña|clave|wachtwoord|mot de passe|mdp|parola|heslo|passord(?:et)?|salasana)\b|hasło|lösenord(?:et)?|jelszó)[^\n:=]{0,24}(?:wi-?fi|wlan|\bzip|\barchive?|\bpdf|hotspot|gäste[a-z-]{0,8})\b[^\n:=]{0,24}?(?:[:=→]|\s(?:is|ist|lautet|est|c['’]est|es|è|é|är|er)(?:\s(?:now|jetzt|nun|still|noch))?)\s{1,2}[\x22'`“]?((?-i:[a-zà-ÿ]{8,30}(?:[-_][a-zà-ÿ]{2,20}){0,5}))[\x22'`”]?[ \t]*(?:[.,;)!\n]|$)",
    )
    .checked(spoken::is_plain_word),
    rule(
        "password",
        &["password", "passwort", "pw", "passphrase", "mot de passe", "contraseña", "senha", "wachtwoord", "passcode"],
        r"(?im)\b(?:password|passwort|kennwort|pw|passphrase|passcode|mot de passe|mdp|contraseña|senha|wachtwoord)\b[^\n?]{0,60}\?+[ \t]*\n{1,2}[ \t>]{0,4}(?:[0-9A-Za-z_.@ ]{1,20}:[ \t]{0,2})?(?:it['’]?s|it is|c['’]est|es ist|ist|es|try|use|nimm)[ \t]+[\x22'`“]?((?-i:[a-zà-ÿ]{7,30}))[\x22'`”]?[ \t.!]{0,3}$",
    )
    .checked(spoken::is_plain_word),
    rule(
        "password",
        &["wifi", "wi-fi", "wlan", "hotspot", "zip"],
        r"(?i)(?:wi-?fi|wlan|hotspot|\bzip)\b[^\n]{0,60}?(?:[:=→]|\s(?:is|ist|est|c['’]est|es|è|é))\s{1,2}[\x22'`“]?((?-i:[a-zà-ÿ0-9]{6,30}))[\x22'`”]?[ ,(–—-]{1,3}(?:all\s(?:in\s)?(?:lower|one word|small|caps|together)|lower ?case|one word|no spaces|tout attaché|en un mot|tout en minuscules|en minuscules|todo junto|todo en minúsculas|alles klein|kleingeschrieben|klein geschrieben|zusammengeschrieben|ohne leerzeichen|tutto attaccato|tutto minuscolo|tudo junto|aan elkaar)",
    )
    .checked(check::is_no_stand_in),
    rule(
        "pin",
        &["cadenas", "candado", "lucchetto", "cadeado", "schloss", "hangslot", "hengelås", "kłódk", "portail", "portón", "cancello", "kluis", "coffre", "tresor", "taquilla", "spind", "padlock", "locker", "safe"],
        r"(?i)(?:cadenas|candado|lucchetto|cadeado|schloss|hangslot|hengelås|kłódk[aię]|portail|portón|cancello|kluis|coffre|tresor|taquilla|spind|padlock|locker|\bsafe)[^\n\d]{0,40}?(?:\s(?:is|ist|est|c['’]est|es|è|é|er|är|met|mit|avec|con|com|with)|[:=→])\s{1,2}(\d{4,8}|\d(?:-\d){2,7}|\d{1,2}-\d{1,2}-\d{1,2})[#*]?(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_followed),
    rule(
        "pin",
        &["pin ", "puk ", "pin-code"],
        r"(?i)\b(?:pin|puk|pin-code)\s(?:for|of|to|on|für|fürs|vom|von|zum|zur|der|des|de|du|del|della|di|do|da|til|till|voor|van)(?:\s\p{L}{2,16}){1,4}\s(\d{4,8})(?:[.,;!]|$)",
    )
    .checked(spoken::is_unnumbered),
    rule(
        "password",
        &["router", "wlan", "wifi", "wi-fi", "fritz", "speedport", "hotspot"],
        r"(?i)(?:router|wlan|wi-?fi|fritz|speedport|hotspot)[^\n]{0,60}?(?:key|schlüssel|passwor[td]|pw|kennwort|werkseinstellung|clé|clave)\b[^\n\d]{0,40}?\s(\d{8,26})(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_unnumbered),
    rule(
        "password",
        &["passwort", "password", "kennwort", "schlüssel"],
        r"(?i)(?:passwor[td]|kennwort|schlüssel)[^\n\d]{0,30}?(?:router|wlan|wi-?fi|fritz|speedport|hotspot)[^\n\d]{0,40}?\s(\d{8,26})(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_unnumbered),
    rule(
        "password",
        &["wifi", "wi-fi", "wlan"],
        r"(?im)(?:wi-?fi|wlan)\b[^\n:]{0,40}:[ \t]{1,2}[\x22'`“]?((?-i:[a-zà-ÿ]{10,30}))[\x22'`”]?[ \t.!]{0,3}$",
    )
    .checked(spoken::is_plain_word),
    rule(
        "password",
        &["@"],
        r"[0-9A-Za-z_.+-]{1,60}@[0-9A-Za-z.-]{3,60}\s[–—-]\s[\x22'`]?([^\s\x22'`,;]{6,60})",
    )
    .checked(check::is_mixed_word),
    rule(
        "secret",
        &["sign", "encrypt", "hmac"],
        r"(?i)\b(?:sign|signs|signed|encrypt|encrypts|encrypted|hmac)\b[^\n]{0,30}?\b(?:with|using)\s[\x22'`]?([0-9a-f]{32,128})\b",
    ),
];
