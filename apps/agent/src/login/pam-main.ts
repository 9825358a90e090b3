// The program of a PAM login's process: a child of the agent, `node login/pam-main.ts` in a checkout and `bowline pam`
// in a bundle. Small, since each login has one.
import { runPamProcess } from './pam-process.ts'

runPamProcess()
