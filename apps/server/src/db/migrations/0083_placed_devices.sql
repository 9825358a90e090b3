-- Positions of devices that a person has set. They win over those that are found by addresses, which registrations renew.

alter table devices
  add column placed_latitude double precision
    constraint placed_latitude_is_on_the_globe check (placed_latitude between -90 and 90),
  add column placed_longitude double precision
    constraint placed_longitude_is_on_the_globe check (placed_longitude between -180 and 180),
  add constraint device_is_placed_by_both_coordinates check ((placed_latitude is null) = (placed_longitude is null)),
  -- That is how the API says that a position is unknown.
  add constraint device_is_placed_somewhere check (placed_latitude <> 0 or placed_longitude <> 0);
