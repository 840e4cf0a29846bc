//! Clouds, hosting, and what runs on them.

use super::super::{
    check,
    rule::{Rule, rule, token},
};

pub(super) const RULES: &[Rule] = &[
    token("aws-key", &["akia", "asia", "abia", "acca"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b")
        .checked(check::is_no_sample),
    rule(
        "aws-secret",
        &["akia", "asia"],
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}[\s\S]{1,80}?\b([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
    )
    .checked(check::is_mixed),
    rule(
        "aws-secret",
        &["aws"],
        r#"(?i)aws[^\n]{0,40}(?:secret|key)[^\n]{0,24}?[\s"'=:`]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    )
    .checked(check::is_mixed),
    token(
        "aws-secret",
        &["fwogzxivyxdz", "iqojb3jpz2lu", "fqogzxivyxdz"],
        r"\b(?:FwoGZXIvYXdz|IQoJb3JpZ2lu|FQoGZXIvYXdz)[A-Za-z0-9/+=]{40,}",
    ),
    token("aws-key", &["absk"], r"\bABSK[A-Za-z0-9+/]{60,}={0,2}"),
    token("google-key", &["aiza"], r"\bAIza[A-Za-z0-9_-]{35}"),
    token("google-token", &["ya29."], r"\bya29\.[A-Za-z0-9_.-]{16,}"),
    token("google-token", &["gocspx-"], r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    rule("google-token", &["1//0"], r"\b(1//0[A-Za-z0-9_-]{30,})"),
    rule(
        "azure-key",
        &["accountkey", "sharedaccesskey", "accesskey"],
        r"(?i)\b(?:AccountKey|SharedAccessKey|AccessKey)=([A-Za-z0-9+/]{20,}={0,2})",
    ),
    rule("azure-key", &["sig="], r"(?i)[?&;]sig=([A-Za-z0-9%/+_-]{16,}(?:=|%3D){0,2})"),
    token(
        "azure-key",
        &["azca", "azfu", "azse", "azcp", "+ast", "+acr", "+amc"],
        r"\b[A-Za-z0-9+/]{33,80}(?:AzCa|AzFu|AzSe|AzCp|\+ASt|\+ACR|\+AMC)[A-Za-z0-9+/]{5,}={0,2}",
    ),
    token("azure-key", &["8q~", "7q~"], r"\b[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    token("heroku-key", &["hrku-"], r"\bHRKU-[A-Za-z0-9_-]{30,}"),
    rule(
        "heroku-key",
        &["heroku"],
        r"(?i)heroku[^\n]{0,40}?\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
    )
    .checked(check::has_key_word),
    rule(
        "cloudflare-token",
        &["cloudflare", "cf_api", "cf-api", "cf api"],
        r"(?i)(?:cloudflare|\bcf[_\s-]api)[^\n]{0,60}?\b([A-Za-z0-9_-]{37}|[A-Za-z0-9_-]{40})\b",
    )
    .checked(check::is_mixed),
    token("cloudflare-token", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{60,}"),
    token("cloudflare-token", &["cfat_", "cfut_", "cfk_"], r"\bcf(?:at|ut|k)_[A-Za-z0-9_-]{36,}"),
    rule("fastly-key", &["fastly"], r"(?i)fastly[^\n]{0,40}?\b([A-Za-z0-9_-]{32})\b").checked(check::is_mixed),
    rule("linode-token", &["linode"], r"(?i)linode[^\n]{0,40}?\b([a-f0-9]{64})\b"),
    token("vault-token", &["hvs.", "hvb.", "hvr."], r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    rule("vault-token", &["s."], r"\b(s\.[A-Za-z0-9]{24})\b").long(26).checked(check::is_mixed),
    token("vault-token", &[".atlasv1."], r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}"),
    token("databricks-token", &["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?\b"),
    token("databricks-token", &["dose"], r"\bdose[a-f0-9]{32}\b"),
    token("docker-token", &["dckr_"], r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    token("doppler-token", &["dp."], r"\bdp\.(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b"),
    token("tailscale-key", &["tskey-"], r"\btskey-[a-z]+-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{16,})?"),
    token("netlify-token", &["nfp_", "nfc_", "nfo_", "nfu_"], r"\bnf[pcou]_[A-Za-z0-9]{36,}"),
    rule("vercel-token", &["vercel"], r"(?i)vercel[^\n]{0,40}?\b([A-Za-z0-9]{24})\b").checked(check::is_mixed),
    token("vercel-token", &["vercel_blob_rw_", "vcp_", "vck_"], r"\b(?:vercel_blob_rw_|vc[pk]_)[A-Za-z0-9_]{20,}"),
    token("planetscale-token", &["pscale_"], r"\bpscale_(?:tkn|pw|oauth|otkn)_[A-Za-z0-9=._-]{32,}"),
    token(
        "supabase-key",
        &["sbp_", "sb_secret_"],
        r"\b(?:sbp_[a-f0-9]{40}|sbp_v0_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})",
    ),
    token(
        "flyio-token",
        &["fm1_", "fm2_", "fo1_"],
        r"\b(?:fm[12]r?_|fo1_)[A-Za-z0-9+/=_-]{40,}(?:,fm[12]r?_[A-Za-z0-9+/=_-]{40,})*",
    ),
    token("pulumi-token", &["pul-"], r"\bpul-[a-f0-9]{40}\b"),
    token("alibaba-key", &["ltai"], r"\bLTAI[A-Za-z0-9]{12,26}\b"),
    token("tencent-key", &["akid"], r"\bAKID[A-Za-z0-9]{32}\b"),
    token("scaleway-key", &["scw"], r"\bSCW[A-Z0-9]{17}\b"),
    token(
        "yandex-key",
        &["aqvn", "ycaj", "t1."],
        r"\b(?:AQVN[A-Za-z0-9_-]{35,38}|YCAJ[A-Za-z0-9_-]{21}|t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Za-z0-9_-]{86}={0,2})",
    ),
    token("upcloud-token", &["ucat_"], r"\bucat_[A-Z0-9]{26}\b"),
    token("kubernetes-token", &["sha256~"], r"\bsha256~[A-Za-z0-9_-]{43}\b"),
    rule("kubernetes-token", &["kubeadm", "join"], r"--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})\b"),
    token("age-key", &["age-secret-key-"], r"(?i)\bAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,}"),
    token("onepassword-token", &["ops_ey"], r"\bops_eyJ[A-Za-z0-9_+/=-]{60,}"),
    rule(
        "onepassword-token",
        &["a3-"],
        r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b",
    ),
];
