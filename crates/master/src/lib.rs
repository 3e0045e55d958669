//! Table DDL, assignment, namespaces, procedures.
