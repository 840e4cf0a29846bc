//! Commands and statements that carry a password where no word says so.

use super::super::{
    check,
    rule::{Rule, digits, rule},
    spoken,
};

pub(super) const RULES: &[Rule] = &[
    rule("password", &["sshpass"], r#"\bsshpass\s+-p\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"']+))"#).checked(check::is_no_stand_in),
    rule(
        "password",
        &["curl", "http", "wget", "xh "],
        r#"\b(?:curl|http|https|xh|wget)\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]{0,3}["']?[^\s:"']{0,100}:([^\s"']{1,200})"#,
    )
    .checked(check::is_no_stand_in),
    rule(
        "password",
        &["mysql", "mariadb", "mongo", "mycli"],
        r#"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli|mongo|mongosh|mongodump)\b[^\n|;]{0,200}?\s-p(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'-][^\s"']{2,}))"#,
    )
    .checked(check::is_no_stand_in),
    rule(
        "password",
        &["mongo", "docker", "podman", "helm", "az ", "oc ", "sqlcmd", "bcp ", "isql", "kinit", "cf ", "skopeo", "snowsql", "ipmitool", "expect"],
        r#"\b(?:mongo|mongosh|mongodump|mongorestore|docker|podman|helm|az|oc|sqlcmd|bcp|skopeo|cf|ipmitool|buildah)\b[^\n|;]{0,200}?\s-[pP]\s{1,3}(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'-][^\s"':]{3,}))"#,
    )
    .checked(check::is_command_password),
    rule("password", &["zip", "7z", "rar ", "mosquitto", "qpdf", "pdftk"], r#"\b(?:zip|unzip|7z|7za|rar|unrar|mosquitto_pub|mosquitto_sub)\b[^\n|;]{0,200}?\s-[pP]\s{0,3}["']?([^\s"'-][^\s"']{3,})"#).checked(check::is_command_password),
    rule("password", &[" -u ", " --user"], r#"\s(?:-u|-U|--user|--username)[ =]\S{1,80}\s+-[pPwW]\s{0,3}["']?([^\s"'-][^\s"']{3,})"#).checked(check::is_command_password),
    rule("password", &["<(", "<<<"], r#"(?:<\(\s{0,2}(?:echo|printf)\s+(?:-n\s+)?|<<<\s{0,2})["']?([^\s"'()]{6,})"#).checked(check::is_command_password),
    rule("password", &["sqlplus", "expdp", "impdp", "rman ", "sqlldr"], r"\b(?:sqlplus|expdp|impdp|rman|sqlldr)\s[^\n/]{0,80}/([^\s@/]{4,})@").checked(check::is_no_stand_in),
    rule("password", &["lftp", " -u "], r"\s-u\s{1,2}[^\s,]{1,60},([^\s,]{4,60})").checked(check::is_command_password),
    rule("password", &["add_user", "adduser", "useradd", "change_password", "set_password", "create_user"], r#"\b(?:add_user|adduser|useradd|change_password|set_password|create_user)\s+[\w.-]{1,60}\s+["']?([^\s"']{6,60})"#).checked(check::is_mixed_word),
    rule("password", &["auth "], r"\bAUTH\s(?:[\w.-]{1,40}\s)?([^\s]{8,128})(?:\s|$)").checked(check::is_random),
    rule("password", &["assword"], r#"assword[\s\S]{0,60}?\bsend\s(?:--\s)?["']([^"'\\\n]{4,60})"#).checked(check::is_no_stand_in),
    rule("password", &["passwd", "chpasswd", "su -"], r#"\b(?:echo|printf)\s(?:-[ne]\s)?["']([^"'\\\n|]{4,60})(?:\\n[^"'|\n]{0,80})?["']\s{0,2}\|\s{0,2}(?:sudo\s)?(?:passwd|su|smbpasswd)\b"#).checked(check::is_no_stand_in),
    rule("password", &["passwd", "smbpasswd"], r#"\b(?:echo|printf)\s(?:-[ne]\s)?["'][^"'\\\n|]{4,60}\\n([^"'|\\\n]{4,60})"#).checked(check::is_no_stand_in),
    rule("password", &["password "], r"(?i)\bpassword\s[0-9]\s([0-9A-Za-z]{8,})\b").checked(check::is_random),
    rule("pin", &["safe", "combination", "combo", "lock"], r"(?i)\b(?:safe|combination|combo|padlock|lock)\b[^\n\d]{0,30}(\d{1,2}[- ]\d{1,2}[- ]\d{1,2})(?:[^\d-]|$)"),
    rule("pin", &["luggage", "suitcase", "padlock", "bike lock", "lock is"], r"(?i)\b(?:luggage|suitcase|padlock|bike|locker)\b[^\n\d]{0,30}?(?:\bis|\bcode|:|=)\s{1,2}(\d{3,6})(?:[\s.,;!?)]|$)").checked(check::is_no_measure),
    rule("code", &["steam guard"], r"\b(?i:steam guard)(?i: code)?(?:\s(?:is|:))?[\s:]{1,2}([A-Z0-9]{5})\b"),
    rule("code", &["code"], r"(?i)\bcode\b[^\n\d#]{0,40}?(\d{3}[ -]\d{3})(?:[^\d-]|$)").checked(spoken::is_no_naming_code),
    rule(
        "password",
        &["admin", "root", "postgres", "deploy", "demo", "guest", "test"],
        r"(?i)\b(?:admin|administrator|root|postgres|deploy|demo|guest|tester|test)\s{0,2}(?:[/:,]|\b(?:and|und|et|y|with|mit|avec|con)\b)\s{0,2}([^\s,;:/]{6,60})",
    )
    .checked(check::is_user_password),
    rule("cookie", &["sess", "sid="], r"(?i)\b[a-z0-9_.-]{0,40}(?:sess|sid)[a-z0-9_.-]{0,40}=([A-Za-z0-9%._+/-]{16,512}=*)").checked(check::is_session),
    rule("password", &[" / "], r"\b[A-Za-z0-9_.@-]{2,60} / ([^\s/,;]{8,60})").checked(check::is_pair_password),
    rule("password", &["http-basic"], r"\bhttp-basic\.\S{1,200}\s+\S{1,80}\s+(\S{6,})").checked(check::is_no_stand_in),
    rule("password", &[":5432:", ":*:", ":5433:"], r"(?:^|\s)[A-Za-z0-9_.*-]{1,100}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,60}:[A-Za-z0-9_*-]{1,60}:([^\s:]{4,})").checked(check::is_no_stand_in),
    rule("password", &["\\"], r"\b[A-Z][A-Z0-9.-]{1,20}\\[\w.-]{2,40}\s{0,2}[:/|,]\s{1,2}(\S{6,})").checked(check::is_command_password),
    rule("password", &["wpa_passphrase"], r#"(?i)\bwpa_passphrase\s+(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|\S{1,40})\s+["']?([^\s"']{8,63})"#).checked(check::is_no_stand_in),
    rule("password", &[" -p ", " -w "], r#"\s-[pPwW]\s{1,2}["']?([^\s"'-][^\s"']{5,60})"#).checked(check::is_mixed_word),
    rule("password", &["u:", "u=", "u :"], r"(?i)\bu\s{0,2}[:=]\s{0,2}\S{1,60}[\s,;/|]{1,4}p\s{0,2}[:=]\s{0,2}([^\s,;]{4,60})").checked(check::is_command_password),
    rule("password", &["u:", "u=", "u :"], r"(?i)\bp\s{0,2}[:=]\s{0,2}([^\s,;]{4,60})[\s,;/|]{1,4}u\s{0,2}[:=]").checked(check::is_command_password),
    rule("password", &["!"], r#"(?:^|[\s"'`(])([A-Za-z0-9_.#@-]{2,40}![A-Za-z0-9_.#@!-]{2,40})(?:[\s"'`),;?]|$)"#).checked(check::is_mixed_word),
    rule("password", &["redis-cli"], r#"\bredis-cli\b[^\n|;]{0,200}?\s(?:-a|--pass)\s+["']?([^\s"']+)"#).checked(check::is_no_stand_in),
    rule("password", &["ldap"], r#"\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n|;]{0,200}?\s-w\s*["']?([^\s"']+)"#).checked(check::is_no_stand_in),
    rule("password", &["smbclient", "mount.cifs", "rpcclient", "net rpc"], r#"\b(?:smbclient|rpcclient|net rpc)\b[^\n|;]{0,200}?\s-U\s*["']?[^\s%"']+%([^\s"']+)"#).checked(check::is_no_stand_in),
    rule("password", &["htpasswd"], r"\bhtpasswd\s+(?:-[A-Za-z]*b[A-Za-z]*\s+)(?:\S+\s+)?\S+\s+(\S+)").checked(check::is_no_stand_in),
    rule(
        "secret",
        &[
            "cat ", "pass show", "gopass", "kv get", "get-secret-value", "versions access", "base64 -d", "base64 --decode", "op read", "op item", "secret show",
            "find-generic-password", "bw get", "output -raw", "config:get", "printenv", "echo $", "openssl rand", "pwgen", "jsonpath", "kv read",
        ],
        r"(?im)(?:\bcat\s+\S{0,80}(?:pass|pw|secret|token|credential|\bkey)\S{0,40}|\b(?:go)?pass\s+show\s|\bkv\s+(?:get|read)\s[^\n]{0,80}-field|get-secret-value\s|secrets?\s+versions\s+access|base64\s+(?:-d|--decode|-D)|\bop\s+(?:read|item)\s|keyvault\s+secret\s+show|find-generic-password|\bbw\s+get\s+password|output\s+-raw\s+\S{0,40}(?:pass|pw|secret|token|key)|config:get\s+\S{0,40}(?:pass|pw|secret|token|key)|(?:printenv\s+|echo\s+[\x22']?\$\{?)\S{0,40}(?:pass|pw|secret|token|key)|openssl\s+rand\s|\bpwgen\b|get\s+secret\s[^\n]{0,120}jsonpath)[^\n]{0,200}\n[ \t>]{0,4}([^\s{}\[\]]{8,200})[ \t]{0,4}(?:$|\n)",
    )
    .checked(check::is_printed),
    rule("secret", &["echo ", "printf "], r#"(?i)\b(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"'|<>]{6,200})["']?\s{0,3}>{1,2}\s{0,3}\S{0,60}(?:pass|pw|secret|token|cred|\bkey)"#).checked(check::is_command_password),
    rule("password", &["user "], r"(?i)\buser\s+\S{1,60}\s+on\b[^\n]{0,60}?\s>(\S{4,120})").checked(check::is_command_password),
    rule("password", &["ascii-text", "plain-text-password"], r#"(?i)\b(?:ascii-text|hexadecimal|plain-text-password(?:-value)?)\s+["']?([^\s"';]{6,120})"#).checked(check::is_command_password),
    rule(
        "password",
        &["sha256sum", "sha1sum", "md5sum", "| base64", "|base64", "sha512sum", "openssl dgst"],
        r#"(?i)\b(?:echo|printf)\s+(?:-[ne]+\s+)?["']([^"'\n|$]{6,120})["']\s{0,3}\|\s{0,3}(?:(?:sha\d{1,3}sum|md5sum|openssl\s+dgst)\b|base64\s{0,2}(?:-w\s{0,1}0)?\s{0,2}(?:$|[\n|)>;`]))"#,
    )
    .checked(check::is_piped_password),
    rule("api-key", &["--key", "--record-key"], r#"\s--(?:record-)?key[ =]["']?([A-Za-z0-9_-]{20,200})(?:["'\s]|$)"#).checked(check::is_random),
    rule("password", &["openssl"], r#"\bopenssl\b[^\n|;]{0,200}?\s-k\s+["']?([^\s"'-][^\s"']{3,})"#).checked(check::is_no_stand_in),
    rule("password", &["pass:"], r#"(?i)-(?:passin|passout|pass|k)\s+pass:["']?([^\s"']+)"#).checked(check::is_no_stand_in),
    rule("password", &["net user", "net use"], r"(?i)\bnet use[r]?\s+\S+\s+([^\s\\]\S*)\s+/(?:add|user)").checked(check::is_no_stand_in),
    rule("password", &["chpasswd"], r#"(?i)\becho\s+(?:-n\s+)?["']?[^\s:"']+:([^\s"']+)["']?\s*\|\s*(?:sudo\s+)?chpasswd"#).checked(check::is_no_stand_in),
    rule(
        "password",
        &["password-stdin", "sudo -s", "cryptsetup", "with-token"],
        r#"(?i)\b(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"'|]{4,})["']?\s*\|[^\n]{0,80}(?:--password-stdin|sudo\s+-S|cryptsetup|--with-token)"#,
    )
    .checked(check::is_no_stand_in),
    rule("password", &["identified by"], r#"(?i)\bidentified\s+(?:with\s+\S+\s+)?by\s+["']([^"'\n]+)["']"#).checked(check::is_no_stand_in),
    rule(
        "password",
        &["with password", "password '"],
        r#"(?i)\b(?:create|alter)\s+(?:user|role|login)\b[^\n;]{0,120}?\bpassword\s*=?\s*N?["']([^"'\n]+)["']"#,
    )
    .checked(check::is_no_stand_in),
    rule("password", &["set password"], r#"(?i)\bset\s+password\b[^\n;]{0,80}?(?:=|to)\s*(?:password\()?["']([^"'\n]+)["']"#).checked(check::is_no_stand_in),
    rule("password", &["requirepass", "masterauth"], r#"(?im)\b(?:requirepass|masterauth)[ \t]+["']?([^\s"']{4,})"#).checked(check::is_command_password),
    rule("password", &["machine ", "login "], r"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S+)").checked(check::is_no_stand_in),
    rule("password", &["wifi:"], r"(?i)\bWIFI:[^\n]{0,100}?\bP:([^;\n]{4,63});").checked(check::is_no_stand_in),
    rule("password", &["enable secret", "enable password", "snmp"], r"(?i)\b(?:enable (?:secret|password)|snmp-server community)\s+(?:\d\s+)?(\S{4,})").checked(check::is_command_password),
    rule("password", &["jdbc:oracle"], r"(?i)\bjdbc:oracle:[a-z]{1,10}:[^\s/@:]{1,60}/([^\s@]{1,200})@").checked(check::is_no_stand_in),
    rule("password", &["auth"], r#"(?i)\bauth\s{0,2}=\s{0,2}[(\[]\s{0,2}["'][^"'\n]{1,80}["']\s{0,2},\s{0,2}["']([^"'\n]{3,200})["']"#).checked(check::is_command_password),
    rule(
        "password",
        &["password\"", "passwd\"", "password'", "passwd'"],
        r#"(?i)\b(?:setproperty|putenv|setenv|setitem|put|set|with|add)\(\s{0,2}["'][\w.-]{0,80}(?:password|passwd)["']\s{0,2},\s{0,2}["']([^"'\n]{4,200})["']"#,
    )
    .checked(check::is_command_password),
    rule("token", &["_pat"], r#"(?i)\b[a-z0-9_]{0,40}_pat["']?\s{0,2}[:=]\s{0,2}["']?([a-z0-9_-]{20,200})"#).checked(check::is_random),
    rule("code", &["verify", "confirm", "log in", "sign in"], r"(?i)\b(?:use|enter|type)\s+(\d{4,8})\s+to\s+(?:verify|confirm|log in|sign in)\b"),
    rule(
        "code",
        &["is your", "ist ihr", "ist dein", "est votre", "est ton", "es su", "es tu", "er din", "är din"],
        r"(?i)\b(\d{3}[ -]\d{3}|\d{4,8})\s+(?:is|ist|est|es|er|är)\s+(?:your|ihr|dein|votre|ton|su|tu|din)\s[^\n]{0,40}?(?:code|kode|kod|código|codigo|codice|pin|otp)\b",
    ),
    rule("code", &["g-"], r"\b(G-\d{6})\b"),
    rule(
        "code",
        &["code", "código", "codigo"],
        r"(?i)\b(?:code|código|codigo|codice)\s(?:for|to|of|on|du|de|de la|del|dell?a|der|für|zum|zur|vom)\s(?:the\s|la\s|le\s|l['’])?\p{L}{3,20}(?:\s(?:is|est|c['’]est|es|è|ist))?(?:\s{1,2}|\s{0,2}[:=]\s{0,2})(#?\d[0-9A-Z]{2,7}#?)(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_no_naming_code),
    rule(
        "code",
        &["recovery codes", "backup codes", "scratch codes"],
        r"(?i)\b(?:recovery|backup|scratch) codes\b[^\n:]{0,30}:?\s{0,4}((?:[ \t]{0,4}(?:\d{1,2}[.)][ \t]{1,4}|[-*•][ \t]{1,4})?[a-z0-9]{4,6}[- ]?[a-z0-9]{4,6}[ \t]{0,4}(?:[,\s]|$)){1,20})",
    )
    .checked(check::are_codes),
    rule(
        "totp-secret",
        &["totp", "2fa", "mfa", "otp"],
        r"(?i)\b(?:totp|2fa|mfa|otp)\b[^\n]{0,30}?(?:secret|key|seed)[^\n]{0,10}?\s((?-i:(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{1,8}))\b",
    ),
    rule(
        "code",
        &["code", "otp"],
        r"(?i)\b(?:verification|2fa|mfa|otp|login|security|confirmation|one-time|access|sms)(?: code)?(?: is)?[:=]?\s+(\d{3}[ -]\d{3})\b",
    ),
    rule(
        "seed-phrase",
        &["seed", "mnemonic", "recovery phrase", "recovery words", "backup phrase"],
        r"(?i)\b(?:seed|mnemonic|recovery|backup)(?: phrase| words)?\b[^\n]{0,60}?(?:[:=\n]|\bis\b)\s*[\x22'`“]?((?:[a-z]{3,8}[ ,\n]+){11,23}[a-z]{3,8})\b",
    ),
    digits("seed-phrase", 12, r"((?:\b\d{1,2}[.):]?[ \t]*[a-z]{3,8}[,\s]+){11,23}\d{1,2}[.):]?[ \t]*[a-z]{3,8})\b"),
    rule("pin", &["door", "gate", "alarm", "safe", "garage", "keypad", "lock", "lobby", "entrance", "intercom"], r"(?i)\b(?:doors?|gate|alarm|safe|garage|keypad|padlock|lock|locker|lobby|entrance|intercom)\b[^\n.,;:=]{0,40}?(?:\bis|\bto|:|=|→)\s+(\d{4,8}#|#\d{4,8}|\d{4,8})(?:[\s.,;!?)]|$)").checked(spoken::is_door_number),
    rule("totp-secret", &["totp", "2fa", "mfa", "otp"], r"(?i)\b(?:totp|2fa|mfa|otp)\b[^\n]{0,30}?(?:secret|key|seed)[^\n]{0,40}?\s((?-i:[A-Z2-7]{16,64}))\b"),
    rule("api-key", &["-"], r"\b((?:[A-Z0-9]{5}-){4}[A-Z0-9]{5})\b").long(29).checked(check::is_mixed),
    rule("totp-secret", &["otpauth://"], r"(?i)\botpauth://[^\s]{4,300}?[?&]secret=([A-Z2-7]{10,})"),
    rule("cookie", &["cookie"], r#"(?i)\b(?:set-)?cookie["']?\s{0,2}[:=]\s{0,2}["']?([^\s=;"',]{1,64}=[^\n"']{1,4000})"#).checked(check::is_session_cookie),
    rule("cookie", &["sessid", "session", "connect.sid", "sid="], r#"(?i)\b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid|laravel_session|_session_id|session_id|sessid)["']?\s{0,2}[=:]\s{0,2}["']?([A-Za-z0-9%._+/=-]{12,})"#).checked(check::is_session),
];
