-- How much of what a session's devices said is in recordings: what was counted when its seats ended.
alter table sessions
  add output_bytes bigint
    constraint output_of_a_session_is_not_negative check (output_bytes >= 0),
  add recorded_bytes bigint
    constraint recorded_output_is_a_part_of_the_output check (recorded_bytes between 0 and output_bytes);
comment on column sessions.output_bytes is 'Null: no seat that should be recorded has ended yet, or the server was killed.';
