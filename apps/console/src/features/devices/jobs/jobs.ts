// Changes of many devices on every page: those that run, their dialog, and the notices of their ends.
export { JobWatch } from './job-watch.tsx'
export { RunningJobs } from './running-jobs.tsx'
