//! The first six bytes of a connection.
//!
//! ```text
//! +--------+----------+------+        or  "Regist"   what is the cluster id? (2.6, instead of all that follows)
//! | "HBas" | u8 vers. | auth |        or  "Securi"   what is the server's principal? (2.6, before the rest)
//! +--------+----------+------+
//! ```

use crate::exception::RpcException;
use crate::exceptions;
use std::net::SocketAddr;

/// Length of every preamble.
pub(crate) const PREAMBLE_BYTES: usize = 6;
/// The only version.
const VERSION: u8 = 0;
const SIMPLE: u8 = 80;
const KERBEROS: u8 = 81;
const DIGEST: u8 = 82;

/// What a client begins with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Preamble {
    /// A connection without authentication; the header follows.
    Simple,
    /// A connection that would authenticate itself by SASL: to be told that there is no need.
    Sasl,
    /// A question for the cluster id.
    Registry,
    /// A question for the server's principal, then another preamble.
    Security,
}

/// Understands a preamble.
///
/// # Errors
/// What to answer before closing.
pub(crate) fn parse(bytes: &[u8; PREAMBLE_BYTES], from: SocketAddr) -> Result<Preamble, RpcException> {
    match bytes {
        b"Regist" => return Ok(Preamble::Registry),
        b"Securi" => return Ok(Preamble::Security),
        _ => {}
    }
    let [h, b, a, s, version, auth] = *bytes;
    if [h, b, a, s] != *b"HBas" {
        return Err(unexpected_header(bytes, from));
    }
    if version != VERSION {
        let message = format!("server speaks version {VERSION}, {from} version {version}");
        return Err(exceptions::wrong_version(message));
    }
    match auth {
        SIMPLE => Ok(Preamble::Simple),
        KERBEROS | DIGEST => Ok(Preamble::Sasl),
        _ => Err(exceptions::bad_auth(format!("unknown authentication method {auth} of {from}"))),
    }
}

/// The answer that tells newer clients that a server does not know their preamble: they look at its first words.
pub(crate) fn unexpected_header(bytes: &[u8; PREAMBLE_BYTES], from: SocketAddr) -> RpcException {
    let received = bytes[..4].escape_ascii();
    exceptions::fatal_connection(format!("Expected HEADER=HBas but received HEADER={received} from {from}"))
}

#[cfg(test)]
mod tests;
