//! Files of services and lines of devices that hold a password where only their form says so.

use super::super::{
    check,
    rule::{Rule, rule},
    spoken,
};

pub(super) const RULES: &[Rule] = &[
    rule("password", &["chap-secrets", "pap-secrets", "ipsec.secrets"], r#"(?m)^[ \t]{0,4}["']?[^\s"'#]{1,60}["']?[ \t]+(?:\*|["']?[^\s"']{1,60}["']?)[ \t]+["']?([^\s"'*]{4,100})["']?(?:[ \t]+\S{1,60})?[ \t]*$"#).checked(check::is_no_stand_in),
    rule("password", &["snmp"], r#"(?i)\bsnmp[0-9a-z_-]{1,20}\b[^\n|;]{0,200}?\s-v\s{0,2}(?:1|2c?)\b[^\n|;]{0,120}?\s-c\s{0,2}["']?([^\s"'-][^\s"']{3,60})"#).checked(is_community),
    rule("password", &["snmp"], r#"\bsnmp[0-9a-z_-]{1,20}\b[^\n|;]{0,200}?\s-A\s{0,2}["']?([^\s"'-][^\s"']{3,60})"#).checked(check::is_no_stand_in),
    rule("password", &["snmp"], r#"\bsnmp[0-9a-z_-]{1,20}\b[^\n|;]{0,300}?\s-X\s{0,2}["']?([^\s"'-][^\s"']{3,60})"#).checked(check::is_no_stand_in),
    rule("password", &["rocommunity", "rwcommunity", "com2sec", "trapcommunity", "trapsink", "trap2sink"], r#"(?im)\b(?:(?:ro|rw|trap)community6?|trap2?sink\s+\S{1,80}|com2sec6?\s+\S{1,40}\s+\S{1,60})[ \t]+["']?([^\s"']{4,60})"#).checked(is_community),
    rule("password", &["createuser"], r#"(?i)\bcreateuser\s+(?:-e\s+\S{1,80}\s+)?\S{1,60}\s+(?:md5|sha(?:-?\d{3})?)\s+["']?([^\s"']{4,100})"#).checked(check::is_no_stand_in),
    rule("password", &["createuser"], r#"(?i)\bcreateuser\s+\S{1,60}\s+(?:md5|sha(?:-?\d{3})?)\s+\S{4,100}\s+(?:des|aes(?:-?\d{3})?)\s+["']?([^\s"']{4,100})"#).checked(check::is_no_stand_in),
    rule("password", &["ipmitool", "ipmi-", "ipmiutil", "racadm", "wsman", "redfishtool"], r#"\b(?:ipmitool|ipmi-[a-z]{2,20}|ipmiutil|racadm|wsman|redfishtool)\b[^\n|;]{0,160}?\s-[pP]\s{1,2}["']?([^\s"'-][^\s"']{3,60})"#).checked(check::is_no_stand_in),
    rule("password", &["radtest", "radclient"], r#"\bradtest\s+(?:-\S+\s+){0,3}\S{1,60}\s+["']?([^\s"'$-][^\s"']{3,60})["']?\s+\S{1,80}\s+\d{1,5}"#).checked(check::is_no_stand_in),
    rule("password", &["radtest"], r#"\bradtest\s+(?:-\S+\s+){0,3}\S{1,60}\s+\S{1,60}\s+\S{1,80}\s+\d{1,5}\s+["']?([^\s"'$]{4,60})"#).checked(check::is_no_stand_in),
    rule("password", &["client ", "home_server"], r#"\b(?:client|home_server)\s+\S{1,80}\s{0,2}\{[^{}]{0,200}?\bsecret\s{0,3}=\s{0,3}["']?([^\s"'{}]{4,100})"#).checked(check::is_no_stand_in),
    rule("password", &["isakmp", "psksecret", "pre-shared-key", "pre-shared-secret", "key-string"], r#"(?i)(?:\bcrypto\s+isakmp\s+key\s+(?:[06]\s+)?|\b(?:set|edit)\s+psksecret\s+|\bpre-shared-(?:key|secret)\s+(?:local\s+|remote\s+|ascii-text\s+|[0-9]\s+){0,2})["']?([^\s"';]{4,120})"#).checked(check::is_no_stand_in),
    rule("password", &["set passwd", "set password", "set ppk", "set sae-password", "set passphrase", "set private-key-password"], r#"(?im)^[ \t]{0,16}set\s+(?:passwd|password|sae-password|passphrase|private-key-password)\s+(?:ENC\s+)?["']?([^\s"']{4,200})["']?[ \t]*$"#).checked(spoken::is_set_word),
    rule("password", &["key content", "schlüsselinhalt", "contenu de la clé", "contenido de la clave"], r"(?i)(?:key content|schlüsselinhalt|contenu de la clé|contenido de la clave)[ \t]{0,20}:[ \t]{0,4}(\S{8,63})").checked(check::is_no_stand_in),
    rule("password", &["iwd", "wpa_cli"], r#"\bwpa_cli\b[^\n|;]{0,80}?\spsk\s+['"]{0,2}([^\s"']{8,64})"#).checked(check::is_no_stand_in),
    rule("password", &["password>", "<password"], r"(?i)<(?:[a-z]{1,40}password|password)>\s{0,40}<value>([^<>\n]{3,120})</value>").checked(check::is_no_stand_in),
    rule("password", &["value="], r#"(?i)\b(?:key|name)=["'][0-9A-Za-z_.:-]{0,60}(?:password|passwd|pwd|passphrase)["'][^<>\n]{0,60}?\svalue=["']([^"'<>\n]{3,120})["']"#).checked(check::is_no_stand_in_word),
    rule("password", &["<ssid", "keymaterial"], r"(?i)(?:<ssid>[^<>\n]{0,60}</ssid>[\s\S]{0,160}?<(?:key|psk|passphrase)>|<keymaterial>)([^<>\n]{6,64})</").checked(check::is_no_stand_in),
    rule("password", &["rsyncd.secrets", "rsyncd.scrt", "passwd-file", "userdb:"], r"(?m)^[ \t>]{0,4}[A-Za-z][0-9A-Za-z_.-]{1,30}:([^\s:/]{4,80})[ \t]*$").checked(check::is_no_stand_in),
    rule("password", &["davfs"], r"(?m)^[ \t>]{0,4}https?://\S{4,120}[ \t]+\S{1,60}[ \t]+(\S{4,80})[ \t]*$").checked(check::is_no_stand_in),
    rule("password", &["rabbitmqctl", "sqlite3-auth", "ejabberdctl", "emqx_ctl", "prosodyctl"], r#"\b(?:rabbitmqctl\s+(?:add_user|change_password)\s+\S{1,60}|ejabberdctl\s+(?:register|change_password)\s+\S{1,60}\s+\S{1,80}|emqx_ctl\s+\S{1,20}\s+add\s+\S{1,60}|prosodyctl\s+register\s+\S{1,60}\s+\S{1,80})\s+["']?([^\s"'-][^\s"']{3,80})"#).checked(check::is_no_stand_in),
    rule("password", &["signtool", ".pfx", "certutil"], r#"(?i)\b(?:signtool|certutil)\b[^\n|;]{0,160}?\s[/-]p\s+["']?([^\s"']{4,80})"#).checked(check::is_no_stand_in),
    rule("password", &["/password:", "/pass:", "/pwd:", "/passwd:"], r#"(?i)\s/(?:password|passwd|pass|pwd):["']?([^\s"']{4,80})"#).checked(check::is_no_stand_in),
    rule("password", &["7z", "7za", "rar "], r#"\b(?:7z[ar]?|rar|unrar)\s+[a-z]{1,2}\s[^\n|;]{0,160}?\s?-h?p["']?([^\s"'-][^\s"']{3,80})"#).checked(check::is_no_stand_in),
    rule("password", &["schtasks"], r#"(?i)\bschtasks\b[^\n]{0,200}?\s/rp\s+["']?([^\s"']{4,80})"#).checked(check::is_no_stand_in),
    rule("password", &["net use"], r"(?i)\bnet use\b[^\n]{0,10}?\s\\\\\S{1,80}\s+([^\s/*]\S{3,60})\s+/user:").checked(check::is_no_stand_in),
    rule("password", &["basicauth", "basic_auth", "basic-auth"], r#"(?i)basic[_-]?auth\b[^\n]{0,20}\n?[\s\S]{0,60}?["'\s][A-Za-z][0-9A-Za-z_.-]{1,30}:([^\s"':/]{6,60})["'\s]"#).checked(check::is_mixed_word),
    rule("password", &["<passphrase>", "<password>"], r"(?i)<(?:passphrase|password)>([^<>\n]{4,120})</").checked(spoken::is_set_word),
    rule("password", &["wpa-psk"], r"(?i)\bwpa-psk\s+(?:ascii|hex)\s+(?:\d\s+)?(\S{8,64})").checked(check::is_no_stand_in),
    rule("password", &["enable password", "enable secret"], r"(?im)\benable\s+(?:secret|password)\s+(?:\d\s+)?(?:level\s+\d{1,2}\s+)?((?-i:[A-Za-z][0-9A-Za-z_.!-]{5,60}))[ \t]*$").checked(spoken::is_plain_word),
    rule("password", &["line vty", "line con", "line aux"], r"(?im)^[ \t>]{0,4}line\s(?:vty|con|console|aux)\b[^\n]{0,40}\n(?:[ \t]{1,4}[^\n]{0,60}\n){0,4}?[ \t]{0,4}password\s+(?:\d\s+)?(\S{4,60})").checked(check::is_no_stand_in),
    rule("api-key", &["appid="], r"(?i)\bappid=([0-9a-f]{32})\b"),
    rule("api-key", &[":fx"], r"\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx)\b"),
    rule("api-key", &["// ", "# ", "/* ", "<!--"], r#"(?i)=\s{0,2}["']([0-9a-z_-]{24,80})["'];?[ \t]{0,4}(?://|#|/\*)[^\n]{0,30}?\b(?:key|token|secret)\b"#).checked(spoken::is_answered_key),
    rule(
        "password",
        &["getconnection(", "mysqli_connect(", "mysqli(", "pdo(", "__construct(", "->connect(", "mysql_connect(", "odbc_connect(", "oracle.connect(", "ldap_bind(", "ssh2_auth_password(", "ftp_login("],
        r#"(?i)(?:getconnection|mysqli?_connect|\bmysqli|\bpdo(?:(?:::|->)__construct)?|dbi->connect|odbc_connect|oracle\.connect|ldap_bind|ssh2_auth_password|ftp_login)\(\s{0,20}(?:["'][^"'\n]{0,200}["']|[0-9A-Za-z_.$>()-]{1,60}),\s{0,20}["'][^"'\n]{0,80}["'],\s{0,20}["']([^"'\n]{4,100})["']"#,
    )
    .checked(check::is_no_stand_in_word),
    rule(
        "secret",
        &["crypt", "cipher", "encrypt", "signing", "hmac", "jwt", "geheim"],
        r#"(?i)["']?\b(?:crypt|crypto|encryption|encrypter|encryptor|cipher|security|signing|signature|hmac|jwt|cookie|session|csrf)["']?[ \t]{0,2}(?:=>|:|=|\()[ \t]{0,2}[\[{(]?\s{0,24}(?:["']?[a-z_]{2,20}["']?[ \t]{0,2}(?:=>|:|=)[ \t]{0,2}["']?[0-9A-Za-z_./-]{1,40}["']?,?\s{1,24}){0,3}["']?(?:key|secret|salt|seed|passphrase)["']?[ \t]{0,2}(?:=>|:|=)[ \t]{0,2}["']?((?:base64:)?[0-9A-Za-z+/=_-]{16,200})"#,
    )
    .checked(spoken::is_key_value),
    rule(
        "secret",
        &["[crypt", "[encrypt", "[security]", "[signing]", "[jwt]", "[hmac]", "[cipher"],
        r#"(?im)^[ \t>]{0,4}\[(?:[a-z_.-]{0,20}(?:crypt|crypto|encryption|security|signing|jwt|hmac|cipher))\][ \t]*\n(?:[ \t>]{0,8}[a-z_.-]{1,30}[ \t]{0,4}=[^\n]{0,80}\n){0,4}[ \t>]{0,8}(?:key|secret|salt)[ \t]{0,4}=[ \t]{0,4}["']?([0-9A-Za-z+/=_-]{16,200})"#,
    )
    .checked(spoken::is_key_value),
];

/// A community that not every device is delivered with.
fn is_community(text: &str, found: &regex::Captures<'_>) -> bool {
    let value = text.get(super::super::rule::taken(found)).unwrap_or_default();
    !["public", "private", "default", "community"].contains(&value) && check::is_no_stand_in(text, found)
}
