# Runs each line of the file that STATEMENTS names in HBase's shell, whatever becomes of the one before.
# <server> stands for the only region server, <region 2 of t1> for the encoded name of the second region of t1; <a second later> waits.
def meant(line)
  sleep 1 if line.delete_prefix!('<a second later> ')
  admin = @shell.admin.instance_variable_get(:@admin)
  line.gsub('<server>') { admin.getRegionServers.first.getServerName }
      .gsub(/<region (\d+) of ([^>]+)>/) do
    number, table = $1.to_i, org.apache.hadoop.hbase.TableName.valueOf($2)
    admin.getRegions(table).to_a.sort { |one, other| one.compareTo(other) }[number - 1].getEncodedName
  end
end

place = binding
File.readlines(ENV['STATEMENTS'], chomp: true).reject(&:empty?).each_with_index do |line, at|
  puts "\n>>> #{at}"
  begin
    place.eval(meant(line))
  rescue Exception => e
    puts "\nERROR: #{e}"
  end
end
nil
