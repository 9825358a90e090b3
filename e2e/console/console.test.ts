// The console on the product itself, a path for every screen: one server, one agent and one browser for all of them.
import { accessJourneys } from './access-journeys.ts'
import { hostileJourneys } from './hostile-journeys.ts'
import { leavingJourneys } from './leaving-journeys.ts'
import { namespaceJourneys } from './namespace-journeys.ts'
import { overviewJourneys } from './overview-journeys.ts'
import { playerJourneys } from './player-journeys.ts'
import { productJourneys } from './product-journeys.ts'
import { screenJourneys } from './screen-journeys.ts'
import { setUpSite } from './site.ts'

const site = setUpSite()
screenJourneys(site)
productJourneys(site)
overviewJourneys(site)
accessJourneys(site)
namespaceJourneys(site)
hostileJourneys(site)
playerJourneys(site)
leavingJourneys(site)
