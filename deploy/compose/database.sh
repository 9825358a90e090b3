#!/bin/sh
# Runs once, when the container of PostgreSQL makes its database: Bowline's role, which must not be a superuser.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -v password="$BOWLINE_PASSWORD" <<'SQL'
create role bowline login createrole password :'password';
create database bowline owner bowline;
SQL
