// Name of a browser in the console's language.
import { uiMessages } from '../messages.ts'

/** @param name as the server has it: `Firefox on Linux`, or the name of a program, which stays as it is */
export function browserName(name: string): string {
  const [, browser, system] = /^(.+) on (.+)$/.exec(name) ?? []
  return browser === undefined || system === undefined ? name : uiMessages.browserOn(browser, system)
}
