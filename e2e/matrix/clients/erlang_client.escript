#!/usr/bin/env escript
%% The board's features with Erlang/OTP's ssh. Reads a job as JSON from stdin, prints the outcome as JSON to stdout.
-include_lib("kernel/include/file.hrl").
-mode(compile).

main(_) ->
  logger:set_primary_config(level, none),
  {ok, _} = application:ensure_all_started(ssh),
  Order = order(),
  {Works, Outcome} = feature(maps:get("feature", Order), Order),
  io:format("{\"works\":~w,\"outcome\":~s}", [Works, text(io_lib:format("~p", [Outcome]))]).

%% This version has no JSON parser: a job is a flat object of strings and numbers.
order() ->
  {ok, Line} = file:read(standard_io, 100000),
  {match, Found} = re:run(Line, "\"(\\w+)\":(?:\"([^\"]*)\"|(\\d+))", [global, {capture, all_but_first, list}]),
  maps:from_list([case Pair of [Name, Value] -> {Name, Value}; [Name, _, Number] -> {Name, list_to_integer(Number)} end
    || Pair <- Found]).

text(Term) ->
  [$", [case C of $" -> "\\\""; $\\ -> "\\\\"; $\n -> " "; _ -> C end || C <- lists:flatten(Term)], $"].

connect(Order, Secret) ->
  ssh:connect(maps:get("host", Order), maps:get("port", Order), [{user, maps:get("login", Order)},
    {user_interaction, false}, {quiet_mode, true}, {silently_accept_hosts, true}, {save_accepted_host, false},
    {user_dir, maps:get("scratch", Order)} | Secret], 20000).

sign_in(Order) ->
  {ok, C} = connect(Order, [{auth_methods, "password"}, {password, maps:get("password", Order)}]),
  C.

channel(C) ->
  {ok, Channel} = ssh_connection:session_channel(C, 20000),
  Channel.

run(C, Command, Data) ->
  Channel = channel(C),
  success = ssh_connection:exec(C, Channel, Command, 20000),
  finish(C, Channel, Data).

finish(C, Channel, Data) ->
  Me = self(),
  %% Sending blocks on the window, which opens while this process reads.
  spawn_link(fun() ->
    case Data of <<>> -> ok; _ -> ok = ssh_connection:send(C, Channel, Data, 60000) end,
    %% A short command may have ended already.
    case ssh_connection:send_eof(C, Channel) of ok -> ok; {error, closed} -> ok end,
    Me ! sent
  end),
  collect(C, Channel, [], [], none).

collect(C, Channel, Out, Err, Code) ->
  receive
    {ssh_cm, C, {data, Channel, 0, Data}} ->
      ssh_connection:adjust_window(C, Channel, byte_size(Data)),
      collect(C, Channel, [Out, Data], Err, Code);
    {ssh_cm, C, {data, Channel, 1, Data}} ->
      ssh_connection:adjust_window(C, Channel, byte_size(Data)),
      collect(C, Channel, Out, [Err, Data], Code);
    {ssh_cm, C, {exit_status, Channel, Status}} -> collect(C, Channel, Out, Err, Status);
    {ssh_cm, C, {closed, Channel}} -> {iolist_to_binary(Out), iolist_to_binary(Err), Code}
  after 60000 -> error({still_open, iolist_size(Out)})
  end.

feature("exec", Order) ->
  Ran = run(sign_in(Order), "echo out; echo err >&2; exit 7", <<>>),
  {Ran =:= {<<"out\n">>, <<"err\n">>, 7}, Ran};
feature("input", Order) ->
  Data = binary:copy(list_to_binary(lists:seq(0, 255)), 16384),
  {Out, _, Code} = run(sign_in(Order), "cat", Data),
  {Out =:= Data, {binary:encode_hex(crypto:hash(sha256, Out)), Code}};
feature("shell", Order) ->
  C = sign_in(Order),
  Channel = channel(C),
  success = ssh_connection:ptty_alloc(C, Channel, [{term, "dumb"}, {width, 100}, {height, 30}]),
  ok = ssh_connection:shell(C, Channel),
  ok = ssh_connection:send(C, Channel, <<"stty size; exit 5\n">>, 20000),
  {Out, _, Code} = collect(C, Channel, [], [], none),
  Found = binary:match(Out, <<"\n30 100\r\n">>) =/= nomatch,
  {Found andalso Code =:= 5, Code};
feature("env", Order) ->
  C = sign_in(Order),
  Channel = channel(C),
  Set = [ssh_connection:setenv(C, Channel, Name, "C.UTF-8", 20000) || Name <- ["LANG", "LC_TIME"]],
  Refused = ssh_connection:setenv(C, Channel, "LD_PRELOAD", "/nowhere.so", 20000),
  success = ssh_connection:exec(C, Channel, "echo $LANG,$LC_TIME,$LD_PRELOAD", 20000),
  Ran = finish(C, Channel, <<>>),
  {element(1, Ran) =:= <<"C.UTF-8,C.UTF-8,\n">>, {Set, Refused, Ran}};
feature("key", Order) ->
  {ok, _} = file:copy(maps:get("ecdsaKeyFile", Order), filename:join(maps:get("scratch", Order), "id_ecdsa")),
  {ok, C} = connect(Order, [{auth_methods, "publickey"}]),
  Ran = run(C, "echo by key", <<>>),
  {element(1, Ran) =:= <<"by key\n">>, Ran};
feature("retry", Order) ->
  %% The client asks only once per connection.
  {error, Wrong} = connect(Order, [{auth_methods, "password"}, {password, "wrong horse"}]),
  Ran = run(sign_in(Order), "echo in", <<>>),
  {element(1, Ran) =:= <<"in\n">>, {Wrong, Ran}};
feature("sftp", Order) ->
  {ok, S} = ssh_sftp:start_channel(sign_in(Order)),
  Data = binary:copy(list_to_binary(lists:seq(0, 255)), 8192),
  ok = ssh_sftp:make_dir(S, "tree"),
  ok = ssh_sftp:write_file(S, "tree/file", Data),
  ok = ssh_sftp:rename(S, "tree/file", "tree/other"),
  ok = ssh_sftp:make_symlink(S, "tree/link", "other"),
  {ok, Back} = ssh_sftp:read_file(S, "tree/other"),
  {ok, #file_info{size = Size, mode = Mode}} = ssh_sftp:read_file_info(S, "tree/other"),
  {ok, Names} = ssh_sftp:list_dir(S, "tree"),
  Errors = [ssh_sftp:read_file_info(S, "nothing"), ssh_sftp:del_dir(S, "tree"), ssh_sftp:open(S, "/etc/shadow", [read])],
  ok = ssh_sftp:delete(S, "tree/other"),
  {Back =:= Data, {lists:sort(Names), Size, Mode, Errors}};
feature("local", Order) ->
  C = sign_in(Order),
  {ok, Port} = ssh:tcpip_tunnel_to_server(C, loopback, 0, "127.0.0.1", maps:get("echoPort", Order)),
  through(Port);
feature("remote", Order) ->
  C = sign_in(Order),
  {ok, Port} = ssh:tcpip_tunnel_from_server(C, "127.0.0.1", maps:get("freePort", Order), "127.0.0.1",
    maps:get("echoPort", Order)),
  through(Port).

through(Port) ->
  {ok, Socket} = gen_tcp:connect("127.0.0.1", Port, [binary, {active, false}]),
  ok = gen_tcp:send(Socket, <<"through\n">>),
  {ok, Said} = gen_tcp:recv(Socket, 8, 20000),
  {Said =:= <<"through\n">>, Said}.
