// Texts of actions that are typed with what they are for: `connect lab-nas`.
import { i18n } from '../../../platform/language/i18n.ts'

/**
 * Words and phrases that people may type for each action before the name of a device or of a session, any number. The first is the
 * one that the palette types for them.
 */
export const verbWords = {
  connect: i18n._('connect, connect to, ssh, ssh to, open terminal, terminal, open shell, shell, log in to, log into'),
  open: i18n._('open, show, go to, view'),
  tag: i18n._('tag, add tag'),
  rename: i18n._('rename, change name'),
  accept: i18n._('accept, approve, admit'),
  reject: i18n._('reject, refuse, decline'),
  remove: i18n._('remove, delete, rm'),
  files: i18n._('files, browse files, browse, sftp, upload to, download from'),
  run: i18n._('run, run command on, run command, run on, execute on, execute'),
  tunnel: i18n._('tunnel, tunnel to, tunnels, open port'),
  copySsh: i18n._('copy ssh, copy ssh command'),
  watch: i18n._('watch, follow'),
  play: i18n._('play, replay, recording of'),
  end: i18n._('end, end session, end session of, terminate, terminate session, kill, kill session, disconnect'),
} as const

/** Those of these words that people type after the name, which is usual in some languages. */
export const wordsLast = i18n._('connect, rename, accept, reject, remove, delete, terminate')

export const verbMessages = {
  /** What Enter does on a device or a session. */
  does: {
    connect: (name: string) => i18n._('Connect to {name}', { name }),
    open: (name: string) => i18n._('Open {name}', { name }),
    tag: (name: string) => i18n._('Tag {name} …', { name }),
    rename: (name: string) => i18n._('Rename {name} …', { name }),
    accept: (name: string) => i18n._('Accept {name}', { name }),
    reject: (name: string) => i18n._('Reject {name}', { name }),
    remove: (name: string) => i18n._('Remove {name} …', { name }),
    files: (name: string) => i18n._('Browse the files of {name}', { name }),
    run: (name: string) => i18n._('Run a command on {name} …', { name }),
    tunnel: (name: string) => i18n._('Tunnels of {name}', { name }),
    copySsh: (name: string) => i18n._('Copy the SSH command of {name}', { name }),
    watch: (name: string) => i18n._('Watch {name}', { name }),
    play: (name: string) => i18n._('Play {name}', { name }),
    end: (name: string) => i18n._('End {name} …', { name }),
  },
  /** Heading of what an action is offered for. */
  groups: {
    connect: i18n._('Connect'),
    open: i18n._('Open'),
    tag: i18n._('Tag'),
    rename: i18n._('Rename'),
    accept: i18n._('Accept'),
    reject: i18n._('Reject'),
    remove: i18n._('Remove'),
    files: i18n._('Files'),
    run: i18n._('Run a command'),
    tunnel: i18n._('Tunnels'),
    copySsh: i18n._('Copy the SSH command'),
    watch: i18n._('Watch'),
    play: i18n._('Play'),
    end: i18n._('End session'),
  },
  /** Actions that ask for a device or a session. */
  prompts: {
    connect: i18n._('Connect to a device …'),
    files: i18n._('Browse the files of a device …'),
    run: i18n._('Run a command on a device …'),
    tag: i18n._('Tag a device …'),
    rename: i18n._('Rename a device …'),
    remove: i18n._('Remove a device …'),
    copySsh: i18n._('Copy the SSH command of a device …'),
    tunnel: i18n._('Tunnels of a device …'),
    watch: i18n._('Watch a session …'),
    play: i18n._('Play a session …'),
    end: i18n._('End a session …'),
  },
  hint: i18n._('Type the name of a device after the action.'),
  hintPending: i18n._('Type the name of a pending device after the action.'),
  hintSessions: i18n._('Type a device, a person or a login after the action.'),
} as const
