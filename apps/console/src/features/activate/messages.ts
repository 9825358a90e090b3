// Texts of the page that lets a program sign in.
export const activateMessages = {
  title: 'Let a program sign in',
  intro: 'A program without a browser shows a code. Type it here to let the program act as you.',
  code: 'Code',
  codeHint: 'Eight letters, such as WDJB-MJHT.',
  continue: 'Continue',
  notFound: 'belongs to no waiting program; it may have expired: start again in the program',
  lookUpFailed: 'The code could not be looked up',
  question: (name: string) => `Let ${name} sign in as you?`,
  warning:
    'Approve only what you have started yourself, just now. Nobody from support ever asks you for a code. The program gets your rights until you sign it out in your profile.',
  from: 'It asks from',
  unknownPlace: 'unknown place',
  left: (minutes: number) =>
    minutes === 1 ? 'The code works for another minute.' : `The code works for another ${minutes} minutes.`,
  approve: 'Approve',
  deny: 'Deny',
  approved: (name: string) => `${name} is signed in. You can close this page.`,
  denied: (name: string) => `${name} was denied.`,
  decideFailed: 'The program still waits',
}
