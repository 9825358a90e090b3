-- Who watches a session while it runs: one entry for each watcher and server process. Empty once it is over.
alter table sessions add column watchers text[] not null default '{}';
