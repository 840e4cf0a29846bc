//! Calls in code and lines of devices that carry a password where only its place says so.

use super::super::{
    check,
    rule::{Rule, rule},
    spoken,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "password",
        &["login(", "log_in(", "signin(", "sign_in(", "authenticate(", "auth(", "connect(", "connection(", "pdo(", "credential", "begin(", "basic(", "user(", "password("],
        r#"(?i)(?:login|log_?in|sign_?in|authenticate|auth|connect|connection|pdo|credentials?|begin|basic|create_?user|add_?user|set_?password|change_?password)\(\s{0,20}(?:["'][^"'\n]{0,120}["']|[0-9A-Za-z_.$]{1,60}),\s{0,20}["']([^"'\n]{4,100})["']"#,
    )
    .checked(check::is_mixed_word),
    rule(
        "password",
        &["connect(", "connection(", "pdo(", "mysqli(", "credential", "client(", "auth(", "ftp(", "smtp(", "imap(", "ssl(", "session(", "login(", "bind(", "dial("],
        r#"(?i)(?:connect|connection|pdo|mysqli|credentials?|client|auth|ftp|smtp|imap|pop3|ssl|session|login|bind|dial)\(\s{0,20}(?:(?:["'][^"'\n]{0,200}["']|[0-9A-Za-z_.$]{1,60}),\s{0,20}){2}["']([^"'\n]{4,100})["']"#,
    )
    .checked(check::is_mixed_word),
    rule(
        "password",
        &["connect(", "client(", "session(", "ssh("],
        r#"(?i)(?:connect|client|session|ssh)\(\s{0,20}(?:(?:["'][^"'\n]{0,200}["']|[0-9A-Za-z_.$]{1,60}),\s{0,20}){3}["']([^"'\n]{4,100})["']"#,
    )
    .checked(check::is_mixed_word),
    rule(
        "secret",
        &["||", "??", " or ", "?:"],
        r#"(?i)\b[0-9A-Za-z_.]{0,60}(?:pass|password|passwd|pwd|secret|token|key)["')\]]{0,3}\s{0,2}(?:\|\||\?\?|\bor\b|\?:)\s{0,2}["'`]([^"'`\n\s]{6,200})["'`]"#,
    )
    .checked(check::is_printed),
    rule(
        "secret",
        &[":-", "-}"],
        r"(?i)\$\{[0-9A-Z_]{0,60}(?:pass|password|passwd|pwd|secret|token|key)[0-9A-Z_]{0,20}:?[-=]([^\s{}$]{6,200})\}",
    )
    .checked(check::is_command_password),
    rule(
        "password",
        &["hashpw(", "crypt(", "password_hash(", "bcrypt.hash", "make_password(", "hash_password(", "hashpassword(", "hashsync("],
        r#"(?i)(?:hashpw|\bcrypt|password_hash|bcrypt\.hash(?:sync)?|make_password|hash_?password)\(\s{0,4}b?["']([^"'\n]{6,100})["']"#,
    )
    .checked(check::is_command_password),
    rule(
        "password",
        &["insert into"],
        r"(?i)\binsert\s+into\b[^;()]{0,80}\([^()]{0,200}?\b(?:password|passwd|pwd|pass|secret|token|api_key)\b[^()]{0,200}\)\s{0,4}values\s{0,4}\([^()]{0,120}?'([^'\n]{6,100})'",
    )
    .checked(check::is_command_password),
    rule(
        "secret",
        &["hex2bin(", "decode(", "base64(", "fromhex(", "hexlify(", "buffer.from(", "atob(", "base64string(", "decodestring(", "parsehex", "pack(", "parse("],
        r#"(?i)\b[0-9A-Za-z_.-]{0,40}(?:key|secret|password|passwd|pwd|pass|token|salt|pepper)\b[^\n]{0,60}?(?:hex2bin|[a-z0-9_]{0,20}decode|b64decode|from_?base64|from_?hex|unhexlify|buffer\.from|atob|frombase64string|decodestring|hex\.parse|base64\.parse|pack)\(\s{0,4}(?:["']H\*["'],\s{0,4})?b?["']([A-Za-z0-9+/=_-]{12,})["']"#,
    )
    .checked(check::is_coded_secret),
    rule(
        "secret",
        &["key :=", "key =", "key=", "secret :=", "secret =", "iv :=", "key: ["],
        r#"(?i)\b[0-9A-Za-z_]{0,40}(?:key|secret)\s{0,3}(?::=|=|:)\s{0,3}(?:\[\]byte|bytes|bytearray|buffer\.from|str\.encode|new textencoder\(\)\.encode|encoding\.[a-z0-9]{3,8}\.getbytes)\(\s{0,4}["'`]([^"'`\n]{12,200})["'`]"#,
    )
    .checked(check::is_coded_value),
    rule("password", &["securestring"], r#"(?i)\bsecurestring\s+(?:-string\s+)?["']([^"'\n]{4,120})["']"#).checked(check::is_no_stand_in),
    rule("secret", &["securestring", "secret-string"], r#"(?i)\b(?:securestring\b[^\n]{0,80}?--value|--secret-string)[ =]{1,2}["']?([^\s"'{}]{4,200})"#).checked(check::is_no_stand_in),
    rule("secret", &["secret set", "secret create", "secrets set", "secret add", "secret put"], r#"(?i)\bsecrets?\s+(?:set|create|add|put)\b[^\n]{0,80}?\s(?:--body|-b|--value|--data)[ =]{1,2}["']?([^\s"']{6,200})"#).checked(check::is_no_stand_in),
    rule(
        "secret",
        &["secret set", "secret create", "secrets create", "secret put", "secret add", "pass insert", "| passwd", "versions add", "/chpasswd", "| gpg", "| kinit", "| su"],
        r#"(?i)\b(?:echo|printf|yes)\s+(?:-n\s+)?["']?([^\s"'|]{4,200})["']?\s*\|[^\n]{0,60}?(?:secrets?\s+(?:set|create|put|add|versions)|\bpass\s+insert|\bpasswd\b|\bgpg\b|\bkinit\b|\bsu\b)"#,
    )
    .checked(check::is_command_password),
    rule("password", &["@tcp(", "@unix(", "@udp("], r#"\b[0-9A-Za-z_.-]{1,60}:([^\s@"'`]{3,100})@(?:tcp|udp|unix)\("#).checked(check::is_no_stand_in),
    rule("password", &["@"], r#"(?:^|[\s"'`=(])[A-Za-z][0-9A-Za-z_.-]{1,40}:([^\s:@/"'`]{5,80})@[A-Za-z0-9][0-9A-Za-z_-]{0,60}(?:\.[0-9A-Za-z_-]{1,60}){0,6}(?::\d{2,5}|/)"#).checked(check::is_command_password),
    rule("password", &["net use"], r"(?i)\bnet use\b[^\n]{0,120}?/user:\S{1,80}\s+([^\s/]\S{3,80})").checked(check::is_no_stand_in),
    rule("password", &["reg_sz", "defaultpassword"], r"(?i)\b[0-9A-Za-z_]{0,40}(?:password|passwd|pwd)\b[^\n]{0,20}?\bREG_[0-9A-Za-z_]{2,12}\b\s+(?:/d\s+)?(\S{3,100})").checked(check::is_no_stand_in),
    rule("password", &["username "], r"(?i)\busername\s+\S{1,60}\s+(?:privilege\s+\d{1,2}\s+)?(?:secret|password)\s+(?:[0-9]\s+)?(\S{4,120})").checked(spoken::is_device_user),
    rule("password", &["tacacs", "radius", "isakmp", "key-string", "neighbor", "ppp ", "ospf", "ntp auth"], r"(?i)\b(?:(?:tacacs|radius)(?:-server)?\b[^\n]{0,60}?\bkey|isakmp\s+key|key-string|neighbor\s+\S{1,60}\s+password|ppp\s+chap\s+password|message-digest-key\s+\d{1,3}\s+md5|ntp\s+authentication-key\s+\d{1,5}\s+md5)\s+(?:[0-9]\s+)?([^\s]{4,100})").checked(check::is_command_password),
    rule("password", &["iwconfig", "iw dev"], r#"\biw(?:config)?\b[^\n]{0,60}?\bkey\s+(?:s:)?["']?([^\s"']{5,80})"#).checked(check::is_command_password),
    rule("password", &["slappasswd", "mkpasswd", "doveadm pw"], r#"\b(?:slappasswd|mkpasswd|doveadm\s+pw)\b[^\n|]{0,60}?\s(?:-s|-p|-P)\s+["']?([^\s"'-][^\s"']{3,80})"#).checked(check::is_command_password),
    rule("password", &["alias set"], r#"\balias\s+set\s+\S{1,60}\s+https?://\S{1,200}\s+\S{1,80}\s+["']?([^\s"']{6,120})"#).checked(check::is_no_stand_in),
    rule("token", &["alias set"], r#"\balias\s+set\s+\S{1,60}\s+https?://\S{1,200}\s+["']?([A-Za-z0-9]{12,120})["']?\s"#).checked(check::is_random),
    rule("token", &[" login ", " auth "], r"(?m)(?:^|[\s`$])[a-z][a-z0-9-]{1,20}\s+(?:login|auth)\s+(?:--?[a-z-]{1,20}[ =])?([A-Za-z0-9_.-]{20,200})(?:[\s`]|$)").checked(check::is_random),
    rule("vault-token", &["secret_id", "secret-id", "secretid"], r#"(?i)\bsecret[_-]?id["']?\s{0,2}[:=]\s{0,2}["']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"#),
    rule("password", &["userlist", "pgbouncer", "auth_file"], r#"(?m)^[ \t]{0,4}"[0-9A-Za-z_.-]{1,60}"[ \t]+"([^"\n]{3,200})""#).checked(check::is_no_stand_in),
    rule("password", &["_auth="], r#"\b[A-Z][0-9A-Z_]{1,40}_AUTH=["']?[a-z][0-9a-z_.@-]{1,60}[/:]([^\s"'/:]{6,100})"#).checked(check::is_command_password),
    rule("password", &["_auth"], r#"(?i)\b[0-9A-Za-z_]{1,40}_auth["']?\s{0,2}[:=]\s{0,2}["']?[0-9A-Za-z_.@-]{1,60}[/:]([^\s"'/]{4,100})"#).checked(check::is_mixed_word),
    rule("password", &["cf auth", "cf login", "bundle config"], r#"\b(?:cf\s+auth\s+\S{1,80}\s+|bundle\s+config\s+(?:set\s+)?(?:--[0-9A-Za-z_]+\s+)?\S{1,120}\s+[^\s:]{1,60}:)["']?([^\s"']{4,120})"#).checked(check::is_no_stand_in),
    rule("secret", &["define("], r#"(?i)\bdefine\(\s{0,4}["'][0-9A-Za-z_]{0,40}(?:_key|_salt|_?password|_secret|_token)["']\s{0,4},\s{0,20}["']([^"'\n]{6,200})["']"#).checked(check::is_set_value),
    rule("password", &["/p:", "/pass:", "/password:", "-pw "], r#"(?i)\s(?:/p(?:ass(?:word)?)?:|-pw\s+)["']?([^\s"']{4,100})"#).checked(check::is_command_password),
    rule("password", &["security add", "security set", "unlock-keychain"], r#"\bsecurity\s+(?:add|set|unlock|import)[0-9A-Za-z_-]{0,40}\b[^\n]{0,160}?\s-[wpPk]\s+["']?([^\s"'-][^\s"']{3,100})"#).checked(check::is_no_stand_in),
    rule("password", &["password-command", "passcommand", "askpass", "pass_command"], r#"(?i)\b(?:password-?command|passcommand|pass_command|askpass)\b[^\n]{0,40}?\b(?:echo|printf)\s+(?:-n\s+)?["']?([^\s"']{4,100})"#).checked(check::is_no_stand_in),
    rule("password", &["curl", "--oauth2-bearer"], r#"\s--oauth2-bearer[ =]{1,2}["']?([^\s"']{8,})"#).checked(check::is_no_stand_in),
    rule("password", &["--pass", "--passphrase"], r#"\s--pass(?:phrase|word|wd)?[ =]{1,2}["']?([^\s"'-][^\s"']{3,100})"#).checked(check::is_command_password),
    rule("secret", &["--from-literal"], r#"--from-literal[ =]["']?[0-9A-Za-z_.-]{0,60}(?:pass|password|passwd|pwd|token|secret|key)[0-9A-Za-z_.-]{0,20}=["']?([^\s"']{4,200})"#).checked(check::is_no_stand_in),
    rule("password-hash", &["scram-sha", "pbkdf2", "{ssha", "{sha}", "{crypt}", "$p$b", "$h$9", "$7$", "$scrypt$", "$8$", "$9$", "$14$"], r"(?:SCRAM-SHA-(?:1|256)\$[^\s\x22']{40,300}|\bpbkdf2[_:-]sha\d{1,3}[$:][^\s\x22']{30,300}|\{(?:SSHA|SSHA256|SSHA512|SHA|CRYPT|PBKDF2[A-Z0-9-]*)\}[A-Za-z0-9+/=$.]{24,200}|\$[PH]\$[./A-Za-z0-9]{31}|\$(?:7|8|9|14|scrypt)\$[./A-Za-z0-9$=,]{20,200})"),
];
