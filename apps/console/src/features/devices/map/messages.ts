// Texts of the map of devices.
import { i18n } from '../../../platform/language/i18n.ts'

export const mapMessages = {
  title: i18n._('Map of devices'),
  back: i18n._('Devices'),
  map: i18n._('Map'),
  keys: i18n._('Arrow keys move the map, + and - zoom, 0 shows the whole world.'),
  zoomIn: i18n._('Zoom in'),
  zoomOut: i18n._('Zoom out'),
  whole: i18n._('Whole world'),
  failed: i18n._('The map could not be loaded.'),
  /** In the circle. */
  share: (online: string, all: string) => `${online}/${all}`,
  cluster: (share: string, place: string) => i18n._('{share} online at {place}', { share, place }),
  legend: i18n._('Each circle: devices online / all. The ring shows the share that is online.'),
  unknown: (count: number) =>
    i18n._('{count, plural, one {# device has} other {# devices have}} no known location.', { count }),
  omitted: (count: number) =>
    i18n._('{count, plural, one {# more device is} other {# more devices are}} shown when you zoom in.', { count }),
  table: i18n._('Locations'),
  columns: {
    place: i18n._('Place'),
    devices: i18n._('Devices'),
    online: i18n._('Online'),
  },
  open: i18n._('Show devices'),
  openAt: (place: string) => i18n._('Show devices at {place}', { place }),
  here: (place: string) => i18n._('Devices at {place}', { place }),
  inList: i18n._('Show in the list'),
  close: i18n._('Close'),
  none: i18n._('No position is known'),
  noneText: i18n._(
    'Devices are located by their addresses if the operator of this server has set up an address database. Operators can also set the position of a device on its page.',
  ),
  howTo: i18n._('How positions are found'),
  noMatches: i18n._('No matching device has a known location'),
} as const
