//! HBase's RPC transport: frames, calls, exceptions, server side and in-process channels.
