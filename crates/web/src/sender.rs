//! Who sends a request, as far as its head tells: whether a page of another site may be behind it.

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName, ORIGIN};
use std::net::IpAddr;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the head of a request tells of its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sender {
    /// A browser says that a page of another site has sent it.
    pub(crate) from_other_site: bool,
    /// It was sent to a name that this server does not go by. A site that gives its own name the address of this server (DNS
    /// rebinding) has a browser do that, and may then read what is answered.
    pub(crate) to_other_name: bool,
}

impl Sender {
    /// From a request's head. `names` are those that the server goes by, besides addresses and `localhost`.
    pub(crate) fn of(headers: &HeaderMap, names: &[String]) -> Self {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let host = text(HOST);
        let other_site = match text(SEC_FETCH_SITE) {
            Some(site) => !["same-origin", "none"].contains(&site),
            None => false,
        };
        // All browsers send it with what changes something; other clients do not, and follow no page's orders.
        let other_origin = text(ORIGIN).is_some_and(|origin| {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            authority.is_none() || authority != host
        });
        Self {
            from_other_site: other_site || other_origin,
            to_other_name: host.is_some_and(|host| !is_ours(host, names)),
        }
    }
}

/// Whether `host[:port]` is an address, this machine for itself, or one of `names`.
fn is_ours(host: &str, names: &[String]) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    name.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(fields: &[(&'static str, &str)]) -> Sender {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, value.parse().unwrap());
        }
        Sender::of(&headers, &["db1.example".to_owned()])
    }

    #[test]
    fn pages_of_other_sites_are_known() {
        let (ours, theirs) = (("host", "db1.example:16010"), ("origin", "http://db1.example:16010"));
        for (fields, other) in [
            (vec![ours], false),
            (vec![ours, theirs], false),
            (vec![ours, theirs, ("sec-fetch-site", "same-origin")], false),
            (vec![ours, ("sec-fetch-site", "none")], false),
            (vec![ours, ("sec-fetch-site", "same-site")], true),
            (vec![ours, theirs, ("sec-fetch-site", "cross-site")], true),
            (vec![ours, ("origin", "http://db1.example:16030")], true),
            (vec![ours, ("origin", "http://evil.example")], true),
            (vec![ours, ("origin", "null")], true),
            (vec![theirs], true),
        ] {
            assert_eq!(sender(&fields).from_other_site, other, "{fields:?}");
        }
    }

    #[test]
    fn names_that_are_not_ours_are_known() {
        for (host, other) in [
            ("127.0.0.1:16010", false),
            ("127.0.0.1", false),
            ("[::1]:16010", false),
            ("[::1]", false),
            ("localhost:16010", false),
            ("LOCALHOST", false),
            ("db1.example:80", false),
            ("db1.example.", false),
            ("evil.example:16010", true),
            ("127.0.0.1.evil.example", true),
            ("", true),
            ("[evil", true),
        ] {
            assert_eq!(sender(&[("host", host)]).to_other_name, other, "{host}");
        }
        assert!(!sender(&[]).to_other_name);
    }
}
