//! The words that tell a secret, in one table: the scanner looks for them, and names are read by them.

/// What a value of a name would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redact) enum Class {
    Password,
    Secret,
    Token,
    Key,
    Pin,
    Code,
    Credentials,
    /// Says that somebody is let in, and not what by: only what looks like a password by itself is meant.
    Door,
}

impl Class {
    /// What stands in the mark.
    pub(in crate::redact) fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Credentials | Self::Door => "password",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Key => "api-key",
            Self::Pin => "pin",
            Self::Code => "code",
        }
    }
}

/// Where in a part of a name a word must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redact) enum Fit {
    /// At its end: `dbpassword`, `Datenbankpasswort`.
    End,
    /// It is all of it: `pw`, but not `pwned`.
    Whole,
}

use Class::{Code, Credentials, Door, Key, Password, Pin, Secret, Token};
use Fit::{End, Whole};

/// Words in lower case; those beyond ASCII also as they begin a sentence, because the scanner folds ASCII only.
pub(in crate::redact) const TELLING: &[(&str, Fit, Class)] = &[
    ("password", End, Password),
    ("pasword", End, Password),
    ("passwrod", End, Password),
    ("passowrd", End, Password),
    ("pssword", End, Password),
    ("passwort", End, Password),
    ("passworts", End, Password),
    ("paswort", End, Password),
    ("kennwort", End, Password),
    ("passwd", End, Password),
    ("passphrase", End, Password),
    ("pass phrase", Whole, Password),
    ("passcode", End, Password),
    ("pass", Whole, Password),
    ("pw", Whole, Password),
    ("pwd", Whole, Password),
    ("pword", Whole, Password),
    ("psw", Whole, Password),
    ("pasw", Whole, Password),
    ("dbpass", Whole, Password),
    ("dbpw", Whole, Password),
    ("rootpw", Whole, Password),
    ("rootpass", Whole, Password),
    ("adminpass", Whole, Password),
    ("userpass", Whole, Password),
    ("smtppass", Whole, Password),
    ("storepass", End, Password),
    ("keypass", End, Password),
    ("psk", Whole, Password),
    ("community string", Whole, Password),
    ("mdp", Whole, Password),
    ("mot de passe", Whole, Password),
    ("code wifi", Whole, Password),
    ("code wi-fi", Whole, Password),
    ("clé wifi", Whole, Password),
    ("wlan-code", Whole, Password),
    ("contraseña", End, Password),
    ("contrasena", End, Password),
    ("contrasenya", End, Password),
    ("clave", Whole, Password),
    ("senha", End, Password),
    ("palavra-passe", End, Password),
    ("wachtwoord", End, Password),
    ("hasło", End, Password),
    ("haslo", End, Password),
    ("hasła", End, Password),
    ("heslo", End, Password),
    ("lozinka", End, Password),
    ("jelszó", End, Password),
    ("lösenord", End, Password),
    ("lösenordet", End, Password),
    ("passord", End, Password),
    ("passordet", End, Password),
    ("adgangskode", End, Password),
    ("adgangskoden", End, Password),
    ("kodeord", End, Password),
    ("kodeordet", End, Password),
    ("salasana", End, Password),
    ("parola", End, Password),
    ("şifre", End, Password),
    ("Şifre", End, Password),
    ("şifresi", End, Password),
    ("пароль", End, Password),
    ("Пароль", End, Password),
    ("пароля", End, Password),
    ("κωδικός", End, Password),
    ("密码", End, Password),
    ("密码是", End, Password),
    ("密碼", End, Password),
    ("口令", End, Password),
    ("パスワード", End, Password),
    ("비밀번호", End, Password),
    ("รหัสผ่าน", End, Password),
    ("पासवर्ड", End, Password),
    ("كلمة المرور", Whole, Password),
    ("סיסמה", End, Password),
    ("mật khẩu", Whole, Password),
    ("kata sandi", Whole, Password),
    ("secret", End, Secret),
    ("geheimnis", End, Secret),
    ("credential", End, Secret),
    ("salt", End, Secret),
    ("pepper", End, Secret),
    ("token", End, Token),
    ("pat", Whole, Token),
    ("refresh", Whole, Token),
    ("access", Whole, Token),
    ("bearer", End, Token),
    ("jwt", End, Token),
    ("schlüssel", End, Token),
    ("apikey", End, Key),
    ("authkey", End, Key),
    ("accesskey", End, Key),
    ("secretkey", End, Key),
    ("privatekey", End, Key),
    ("licensekey", End, Key),
    ("key", Whole, Key),
    ("pin", Whole, Pin),
    ("puk", Whole, Pin),
    ("pincode", End, Pin),
    ("pinkode", End, Pin),
    ("pinkoden", End, Pin),
    ("pinkod", End, Pin),
    ("geheimzahl", End, Pin),
    ("otp", Whole, Code),
    ("code", Whole, Code),
    ("creds", Whole, Credentials),
    ("credentials", Whole, Credentials),
    ("login", Whole, Credentials),
    ("logins", Whole, Credentials),
    ("zugangsdaten", Whole, Credentials),
    ("anmeldedaten", Whole, Credentials),
    ("identifiants", Whole, Credentials),
    ("log in", Whole, Door),
    ("sign in", Whole, Door),
    ("logon", Whole, Door),
    ("wifi", Whole, Door),
    ("wi-fi", Whole, Door),
    ("wlan", Whole, Door),
    ("ssid", Whole, Door),
    ("hotspot", Whole, Door),
    ("guest network", Whole, Door),
    ("sudo", Whole, Door),
    ("bind", Whole, Door),
    ("asks", Whole, Door),
    ("prompts", Whole, Door),
    ("prompted", Whole, Door),
    ("router", Whole, Door),
    ("vpn", Whole, Door),
    ("nas", Whole, Door),
    ("unlock", Whole, Door),
    ("unlocks", Whole, Door),
];

/// What a part of a name tells: the longest word that fits, so that `apikey` is no `key`.
pub(in crate::redact) fn telling(part: &str) -> Option<&'static (&'static str, Fit, Class)> {
    let bare = part.trim_end_matches(|char: char| char.is_ascii_digit());
    let fits = |(word, fit, _): &&(&str, Fit, Class)| match fit {
        End => part.ends_with(word) || bare.ends_with(word),
        Whole => part == *word || bare == *word,
    };
    TELLING.iter().filter(fits).max_by_key(|(word, ..)| word.len())
}
