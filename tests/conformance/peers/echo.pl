#!/usr/bin/perl
# As much of the echo application as CGI can have: see README.md.
use strict;
use warnings;

binmode STDIN;
binmode STDOUT;
my $path = $ENV{PATH_INFO} // '/';
my $query = $ENV{QUERY_STRING} // '';
my $body = do { local $/; <STDIN> } // '';

sub answer {
    my ($type, $content) = @_;
    print "Content-Type: $type\r\nContent-Length: ", length $content, "\r\n\r\n", $content;
    exit;
}

sub status {
    print "Status: $_[0]\r\n";
    answer('text/plain; charset=utf-8', "$_[0]\n") unless $_[0] =~ /^[23]/;
    print "\r\n";
    exit;
}

my $plain = 'text/plain; charset=utf-8';
my $method = $ENV{REQUEST_METHOD};
if ($method eq 'TRACE') {
    print "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
    status('405 Method Not Allowed');
}
status('501 Not Implemented') if $method !~ /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
status('404 Not Found') if $path =~ m{^/+nope};
status('500 Internal Server Error') if $path eq '/throw';
answer('application/octet-stream', $body) if $body ne '' || $method =~ /^(POST|PUT|PATCH|DELETE)$/;
if ($method eq 'OPTIONS') {
    print "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
    answer($plain, '');
}
answer($plain, "$path\n$query\n") if $path =~ m{^/path(/|$)};
answer($plain, $ENV{HTTP_HOST} // '') if $path eq '/authority';
answer($plain, join '', map { "$_\n" } split /; */, $ENV{HTTP_COOKIE} // '') if $path eq '/cookie';
answer($plain, 'x' x ($query =~ /^n=(\d{1,8})$/ ? $1 : 0)) if $path eq '/large';
status('204 No Content') if $path eq '/nocontent';
status('304 Not Modified') if $path eq '/notmodified';
if ($path eq '/chunked') {
    # Nobody says how long it is: the server has to.
    print "Content-Type: $plain\r\n\r\n", map { "$_\n" } 0 .. 9;
    exit;
}
answer($plain, 'OK');
