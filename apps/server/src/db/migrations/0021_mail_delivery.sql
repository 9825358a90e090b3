-- Delivery of mail: which process holds a mail, and how many mails a recipient and a source have had.

-- Node that holds the lease: its next life takes up at once what a crash interrupted.
alter table mails add column leased_by text;
-- When the link of a mail was logged, on a server without a mail server.
alter table mails add column logged_at timestamptz(3);
create index mails_by_lease on mails (leased_by) where leased_by is not null;

create table mail_counts (
  -- Group of kinds that share a limit.
  category text not null,
  -- `to:` and a recipient, or `from:` and a source.
  counted text not null,
  since timestamptz(3) not null,
  mails integer not null
    constraint counted_mails_are_positive check (mails > 0),
  constraint mails_are_counted_once primary key (category, counted)
);
comment on table mail_counts is 'Mails written within an hour: more than a limit are not written.';
create index mail_counts_by_age on mail_counts (since);
