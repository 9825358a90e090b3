// Whether the page on the screen wants the side bar's room.
import { createStore } from '../platform/store.ts'

export const isSidebarFolded = createStore(false)
