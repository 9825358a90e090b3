import '@bowline/ssh/api'
