// Tests of every console screen against the product itself, sharing one server, one agent and one browser.
import { accessJourneys } from './journeys/access-journeys.ts'
import { auditJourneys } from './journeys/audit-journeys.ts'
import { controlJourneys } from './journeys/control-journeys.ts'
import { dayJourneys } from './journeys/day-journeys.ts'
import { firewallJourneys } from './journeys/firewall-journeys.ts'
import { frameJourneys } from './journeys/frame-journeys.ts'
import { healthJourneys } from './journeys/health-journeys.ts'
import { hostileJourneys } from './journeys/hostile-journeys.ts'
import { keyboardJourneys } from './journeys/keyboard-journeys.ts'
import { leavingJourneys } from './journeys/leaving-journeys.ts'
import { mapJourneys } from './journeys/map-journeys.ts'
import { namespaceJourneys } from './journeys/namespace-journeys.ts'
import { overviewJourneys } from './journeys/overview-journeys.ts'
import { paletteJourneys } from './journeys/palette-journeys.ts'
import { paletteVerbJourneys } from './journeys/palette-verb-journeys.ts'
import { playerJourneys } from './journeys/player-journeys.ts'
import { previewJourneys } from './journeys/preview-journeys.ts'
import { productJourneys } from './journeys/product-journeys.ts'
import { screenJourneys } from './journeys/screen-journeys.ts'
import { sessionJourneys } from './journeys/session-journeys.ts'
import { teamJourneys } from './journeys/team-journeys.ts'
import { setUpSite } from './site.ts'

const site = setUpSite()
screenJourneys(site)
frameJourneys(site)
productJourneys(site)
overviewJourneys(site)
healthJourneys(site)
accessJourneys(site)
teamJourneys(site)
mapJourneys(site)
firewallJourneys(site)
namespaceJourneys(site)
keyboardJourneys(site)
controlJourneys(site)
auditJourneys(site)
sessionJourneys(site)
dayJourneys(site)
paletteJourneys(site)
paletteVerbJourneys(site)
hostileJourneys(site)
playerJourneys(site)
previewJourneys(site)
leavingJourneys(site)
